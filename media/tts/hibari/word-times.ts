import type { WordTime } from '../text-to-speech.js';
import { SAMPLES_PER_DURATION } from './constants.js';
import type { PhonemePart } from './phoneme-ids.js';

/** Hops of the model's opening silence that stay before the first sound (75 ms). */
const KEPT_HOPS = 6;

/**
 * Hops at the start of a part that are left out: the model opens with a pad of some 300 ms, silent
 * (under −100 dB) but for its last four hops, into which a soft first sound may reach.
 *
 * @param durations of the part's ids, in pairs of hops.
 */
export function silentHops(durations: ArrayLike<number>): number {
  return Math.max(0, Math.round(2 * (durations[0] ?? 0)) - KEPT_HOPS);
}

/**
 * When each word of a part is said.
 *
 * @param durations of the part's ids, in pairs of hops.
 * @param offset samples of the utterance before the part's first hop; negative by what was left out.
 */
export function wordTimes(
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
