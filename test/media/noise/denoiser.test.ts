import { describe, expect, it } from 'vitest';
import { concat } from '../../../media/audio/pcm.js';
import { DENOISER_FRAME, Denoiser } from '../../../media/noise/denoiser.js';
import { whiteNoise } from '../../support/harness/audio/noise.js';
import { likenessDb, tone } from '../../support/harness/audio/tones.js';

/** A model without an effect except for a delay of one frame, like the real one. */
function lateModel(gain = 1) {
  const before = new Float32Array(DENOISER_FRAME);
  return (frame: Float32Array) => {
    for (let i = 0; i < frame.length; i++) {
      const now = frame[i]!;
      frame[i] = before[i]! * gain;
      before[i] = now;
    }
  };
}

function pass(denoiser: Denoiser, samples: Float32Array, step: number): Float32Array {
  const parts: Float32Array[] = [];
  const keep = (part: Float32Array) => parts.push(part.slice());
  for (let at = 0; at < samples.length; at += step) {
    denoiser.push(samples.subarray(at, at + step), keep);
  }
  denoiser.flush(keep);
  return concat(Float32Array, parts);
}

describe('Denoiser', () => {
  it('keeps the position of each sample in any chunking', () => {
    const audio = tone(440, 16_000, 16_000);
    for (const [runIn, step] of [
      [0, 320],
      [4_800, 320],
      [4_800, 7],
      [123, 1_601],
      [10, 16_000],
    ] as const) {
      const out = pass(
        new Denoiser(lateModel(), audio.subarray(0, runIn)),
        audio.subarray(runIn),
        step,
      );
      expect(out.length).toBe(audio.length - runIn);
      expect(likenessDb(audio.subarray(runIn), out)).toBeGreaterThan(55);
    }
  });

  it('has a delay of at most 20 ms', () => {
    const denoiser = new Denoiser(lateModel(), new Float32Array(4_800));
    let [pushed, emitted] = [0, 0];
    for (let i = 0; i < 50; i++) {
      pushed += 320;
      denoiser.push(new Float32Array(320), (part) => {
        emitted += part.length;
      });
      expect(pushed - emitted).toBeLessThanOrEqual(400);
    }
  });

  it('reduces the level by at most 10 dB and returns even the shortest audio completely', () => {
    const audio = whiteNoise(16_000);
    const quiet = pass(new Denoiser(lateModel(0), new Float32Array(0)), audio, 320);
    const middle = quiet.subarray(1_000, 15_000);
    expect(
      likenessDb(
        audio.subarray(1_000, 15_000).map((sample) => 0.3 * sample),
        middle,
      ),
    ).toBeGreaterThan(60);
    for (const length of [0, 1, 5, 320]) {
      expect(pass(new Denoiser(lateModel(), audio), audio.subarray(0, length), 64).length).toBe(
        length,
      );
    }
  });

  it('starts and ends without a click', () => {
    const audio = tone(100, 16_000, 8_000);
    const out = pass(new Denoiser(lateModel(0), audio), audio, 320);
    const whole = concat(Float32Array, [audio, out, audio]);
    const steps = whole.subarray(1).map((sample, i) => Math.abs(sample - whole[i]!));
    // The maximum step of the tone and of the fade.
    expect(Math.max(...steps)).toBeLessThan(1.2 * 0.5 * ((2 * Math.PI * 100) / 16_000));
  });
});
