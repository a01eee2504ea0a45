import { describe, expect, it } from 'vitest';
import {
  type Load,
  OPEN,
  type OverloadState,
  overloadAfter,
} from '../../../src/calls/admission/overload-policy.js';

const WELL: Load = { calls: 40, frameLateMs: 2, loopDelayMs: 1, cores: 0.9, queueMs: 30 };
const LATE: Load = { ...WELL, frameLateMs: 35 };
/** Better than the limit, but not half of it. */
const BARELY: Load = { ...WELL, frameLateMs: 15 };

/** Whether calls are let in after each of these looks. */
function openings(looks: readonly Load[], from: OverloadState = OPEN): string {
  let admission = from;
  return looks
    .map((load) => {
      admission = overloadAfter(admission, load);
      return admission.isOpen ? 'o' : '-';
    })
    .join('');
}

const times = (count: number, load: Load) => Array.from({ length: count }, () => load);
const CLOSED: OverloadState = { isOpen: false, samples: 0 };

describe('admission', () => {
  it.each<[string, Load[], string]>([
    ['stays open while frames are on time', times(6, WELL), 'oooooo'],
    ['closes when frames are late for three looks', times(4, LATE), 'oo--'],
    ['forgives what does not last', [LATE, LATE, WELL, LATE, LATE, WELL], 'oooooo'],
    [
      'closes for a late event loop, though nobody is being spoken to',
      times(3, { ...WELL, frameLateMs: 0, loopDelayMs: 25 }),
      'oo-',
    ],
    ['closes for jobs that wait', times(3, { ...WELL, queueMs: 1_200 }), 'oo-'],
    [
      'blames nobody for a machine that others keep busy',
      times(8, { ...LATE, frameLateMs: 300, loopDelayMs: 300, queueMs: 5_000, cores: 0.4 }),
      'oooooooo',
    ],
    [
      'blames a few calls for nothing, be everything as late as it likes',
      times(8, { calls: 3, frameLateMs: 900, loopDelayMs: 900, cores: 2, queueMs: 9_000 }),
      'oooooooo',
    ],
    ['takes lateness at the limit', times(5, { ...LATE, frameLateMs: 20 }), 'ooooo'],
  ])('%s', (_name, looks, expected) => {
    expect(openings(looks)).toBe(expected);
  });

  it.each<[string, Load[], string]>([
    ['opens when it has been well for five looks', times(6, WELL), '----oo'],
    ['stays closed while it is barely better than too much', times(8, BARELY), '--------'],
    [
      'begins again to count when it gets worse',
      [...times(4, WELL), LATE, ...times(5, WELL)],
      '---------o',
    ],
    ['opens when nearly all calls have ended', times(5, { ...LATE, calls: 3 }), '----o'],
    ['stays closed while jobs wait half as long', times(6, { ...WELL, queueMs: 600 }), '------'],
  ])('once closed, %s', (_name, looks, expected) => {
    expect(openings(looks, CLOSED)).toBe(expected);
  });
});
