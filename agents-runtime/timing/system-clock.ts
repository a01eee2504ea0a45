import type { Clock } from '../contract/clock.js';

/** Node fires a longer timeout at once. Source: Node's documentation, setTimeout. */
const MAX_MS = 2 ** 31 - 1;

/** Real time. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, act) {
    let left = ms;
    let handle: NodeJS.Timeout;
    const wait = () => {
      const part = Math.min(left, MAX_MS);
      left -= part;
      handle = setTimeout(left > 0 ? wait : act, part);
    };
    wait();
    return { cancel: () => clearTimeout(handle) };
  },
};
