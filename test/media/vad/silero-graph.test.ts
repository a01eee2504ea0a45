import { afterAll, expect, it } from 'vitest';
import { batchedSilero } from '../../../media/vad/silero-graph.js';
import { SileroVoiceActivity } from '../../../media/vad/silero-voice-activity.js';
import { VAD_WINDOW } from '../../../media/vad/voice-activity.js';
import { modelFolder } from '../../support/harness/process/model-folder.js';

const WINDOWS = 24;
const RATE = 16_000;

/**
 * Outputs of the original graph for three tones: at 110 and 190 Hz like a voice, at 3 kHz like a
 * whistle.
 */
const OWN: readonly (readonly [pitch: number, probabilities: readonly number[]])[] = [
  [
    110,
    [
      0.634, 0.819, 0.778, 0.681, 0.743, 0.531, 0.754, 0.748, 0.713, 0.654, 0.38, 0.623, 0.593,
      0.457, 0.407, 0.261, 0.17, 0.097, 0.089, 0.091, 0.105, 0.044, 0.019, 0.019,
    ],
  ],
  [
    190,
    [
      0.516, 0.603, 0.815, 0.825, 0.674, 0.716, 0.846, 0.767, 0.651, 0.655, 0.694, 0.549, 0.531,
      0.408, 0.51, 0.317, 0.193, 0.317, 0.121, 0.057, 0.059, 0.038, 0.038, 0.024,
    ],
  ],
  [
    3000,
    [
      0.024, 0.02, 0.007, 0.005, 0.005, 0.005, 0.004, 0.003, 0.003, 0.008, 0.004, 0.003, 0.003,
      0.003, 0.005, 0.004, 0.004, 0.004, 0.003, 0.003, 0.003, 0.002, 0.003, 0.005,
    ],
  ],
];

const faults: unknown[] = [];
const vad = new SileroVoiceActivity({
  folder: modelFolder('silero-vad'),
  onFault: (error) => faults.push(error),
});
afterAll(() => vad.close());

it("the output equals that of the model's own graph, for many concurrent streams", async () => {
  const perStream = await Promise.all(OWN.map(([pitch]) => listen(hum(pitch))));
  for (const [i, [pitch, wanted]] of OWN.entries()) {
    for (const [k, probability] of wanted.entries()) {
      expect(perStream[i]![k], `window ${k} of ${pitch} Hz`).toBeCloseTo(probability, 2);
    }
  }
  expect(faults).toEqual([]);
});

it('other models are rejected', () => {
  expect(() => batchedSilero(new Uint8Array(0))).toThrow(
    expect.objectContaining({ code: 'MODEL_CORRUPT' }),
  );
});

function listen(samples: Float32Array): Promise<readonly number[]> {
  return new Promise((resolve) => {
    const perStream: number[] = [];
    const stream = vad.open((probability) => {
      if (perStream.push(probability) === WINDOWS) resolve(perStream);
    });
    for (let k = 0; k < WINDOWS; k++) {
      stream.push(samples.subarray(k * VAD_WINDOW, (k + 1) * VAD_WINDOW));
    }
  });
}

/** Harmonics of a varying pitch with the levels of an open vowel. */
function hum(pitch: number): Float32Array {
  let phase = 0;
  return Float32Array.from({ length: WINDOWS * VAD_WINDOW }, (_, i) => {
    const second = i / RATE;
    phase += (2 * Math.PI * (pitch + 15 * Math.sin(2 * Math.PI * 3 * second))) / RATE;
    let sum = 0;
    for (let harmonic = 1; harmonic <= 25; harmonic++) {
      sum += loudness(harmonic * pitch) * Math.sin(harmonic * phase);
    }
    return 0.2 * sum * (0.6 - 0.4 * Math.cos(2 * Math.PI * 4 * second));
  });
}

function loudness(hz: number): number {
  const peak = (middle: number, width: number) => 1 / (1 + ((hz - middle) / width) ** 2);
  return peak(600, 150) + 0.6 * peak(1200, 200) + 0.3 * peak(2500, 300);
}
