import type { WordTime } from '../text-to-speech.js';
import { SAMPLES_PER_DURATION } from './constants.js';
import type { PhonemePart } from './phoneme-ids.js';

/** Hops of the model's initial silence that are kept before the first sound: 75 ms. */
const KEPT_HOPS = 6;

/**
 * Returns the number of hops to omit at the start of a part. The model starts with a pad of about 300 ms. It is
 * silent (below −100 dB) except for its last four hops, in which a soft first sound may begin.
 *
 * @param durations - of the part's ids, in pairs of hops
 */
export function silentHops(durations: ArrayLike<number>): number {
  return Math.max(0, Math.round(2 * (durations[0] ?? 0)) - KEPT_HOPS);
}

/**
 * Returns the start and end of each word of a part.
 *
 * @param durations - of the part's ids, in pairs of hops
 * @param offset - position in the utterance of the part's first hop, in samples; negative if hops were omitted
 */
export function partWordTimes(
  { ids, words }: PhonemePart,
  durations: ArrayLike<number>,
  offset: number,
): WordTime[] {
  const starts = new Float64Array(ids.length + 1);
  for (let i = 0; i < ids.length; i++) {
    starts[i + 1] = starts[i]! + Math.round(durations[i] ?? 0) * SAMPLES_PER_DURATION;
  }
  return words.map(({ textStart, textEnd, from, to }) => ({
    textStart,
    textEnd,
    startSample: Math.max(0, offset + starts[from]!),
    endSample: Math.max(0, offset + starts[to]!),
  }));
}
