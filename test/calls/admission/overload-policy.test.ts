import { describe, expect, it } from 'vitest';
import {
  type Load,
  OPEN,
  type OverloadState,
  overloadAfter,
} from '../../../src/calls/admission/overload-policy.js';

const WELL: Load = { calls: 40, frameLateMs: 2, loopDelayMs: 1, cores: 0.9, queueMs: 30 };
const LATE: Load = { ...WELL, frameLateMs: 35 };
/** Better than the limit, but more than half of it. */
const BARELY: Load = { ...WELL, frameLateMs: 15 };

/** `o` for open and `-` for closed after each sample. */
function openings(samples: readonly Load[], from: OverloadState = OPEN): string {
  let admission = from;
  return samples
    .map((load) => {
      admission = overloadAfter(admission, load);
      return admission.isOpen ? 'o' : '-';
    })
    .join('');
}

const times = (count: number, load: Load) => Array.from({ length: count }, () => load);
const CLOSED: OverloadState = { isOpen: false, contrarySamples: 0 };

describe('overload policy', () => {
  it.each<[string, Load[], string]>([
    ['stays open while frames are on time', times(6, WELL), 'oooooo'],
    ['closes when frames are late in three samples', times(4, LATE), 'oo--'],
    ['ignores short periods', [LATE, LATE, WELL, LATE, LATE, WELL], 'oooooo'],
    [
      'closes for a late event loop without late frames',
      times(3, { ...WELL, frameLateMs: 0, loopDelayMs: 25 }),
      'oo-',
    ],
    ['closes for queued jobs', times(3, { ...WELL, queueMs: 1_200 }), 'oo-'],
    [
      'stays open while other processes use the CPU',
      times(8, { ...LATE, frameLateMs: 300, loopDelayMs: 300, queueMs: 5_000, cores: 0.4 }),
      'oooooooo',
    ],
    [
      'stays open with few calls, whatever the lateness',
      times(8, { calls: 3, frameLateMs: 900, loopDelayMs: 900, cores: 2, queueMs: 9_000 }),
      'oooooooo',
    ],
    ['accepts lateness at the limit', times(5, { ...LATE, frameLateMs: 20 }), 'ooooo'],
  ])('%s', (_name, samples, expected) => {
    expect(openings(samples)).toBe(expected);
  });

  it.each<[string, Load[], string]>([
    ['opens after five good samples', times(6, WELL), '----oo'],
    ['stays closed just below the limit', times(8, BARELY), '--------'],
    [
      'restarts the count after a bad sample',
      [...times(4, WELL), LATE, ...times(5, WELL)],
      '---------o',
    ],
    ['opens when nearly all calls have ended', times(5, { ...LATE, calls: 3 }), '----o'],
    [
      'stays closed while jobs wait for half of the limit',
      times(6, { ...WELL, queueMs: 600 }),
      '------',
    ],
  ])('while closed, %s', (_name, samples, expected) => {
    expect(openings(samples, CLOSED)).toBe(expected);
  });
});
