import { setTimeout as sleep } from 'node:timers/promises';
import { Segmenter } from '../../media/vad/segmenter.js';
import { SileroVoiceActivity } from '../../media/vad/silero-voice-activity.js';
import { VAD_WINDOW } from '../../media/vad/voice-activity.js';
import { modelFolder } from '../support/harness/process/model-folder.js';

/** Possible offsets of the VAD windows in the clip, in samples: a call's offset is unknown. */
const PHASES = [0, 128, 256, 384];

/**
 * The earliest time at which the VAD can detect the speech after the preceding audio, in ms of the
 * clip, over all offsets of its 32 ms windows.
 */
export async function triggerOf(
  before: Float32Array,
  clip: Float32Array,
  threshold: number,
): Promise<number> {
  const vad = new SileroVoiceActivity({
    folder: modelFolder('silero-vad'),
    onFault: (error) => console.error(error),
  });
  try {
    const triggers = PHASES.map((phase) => triggerAt(vad, threshold, { before, clip, phase }));
    return Math.min(...(await Promise.all(triggers)));
  } finally {
    await vad.close();
  }
}

interface SpeechInContext {
  readonly before: Float32Array;
  readonly clip: Float32Array;
  readonly phase: number;
}

async function triggerAt(
  vad: SileroVoiceActivity,
  threshold: number,
  { before, clip, phase }: SpeechInContext,
): Promise<number> {
  const lead = before.length + 40_000 + phase;
  const padded = new Float32Array(lead + clip.length);
  padded.set(before);
  padded.set(clip, lead);
  const segmenter = new Segmenter({ threshold, minSpeechMs: 100, minSilenceMs: 550 });
  let triggeredAt: number | undefined;
  let left = Math.floor(padded.length / VAD_WINDOW);
  const stream = vad.open((probability) => {
    segmenter.push(probability, (edge) => {
      if (edge.type === 'speech-started') triggeredAt = edge.atSample;
    });
    left--;
  });
  for (let at = 0; at + VAD_WINDOW <= padded.length; at += VAD_WINDOW) {
    stream.push(padded.subarray(at, at + VAD_WINDOW));
  }
  while (left > 0) await sleep(5);
  stream.close();
  if (triggeredAt === undefined || triggeredAt < lead) {
    throw new Error('The VAD does not detect the interruption');
  }
  return ((triggeredAt - lead) * 1000) / 16_000;
}

export const isLoud = (sample: number) => Math.abs(sample) > 0.02;
/** Index of the first loud sample. */
export const onsetOf = (clip: Float32Array) => clip.findIndex(isLoud);
