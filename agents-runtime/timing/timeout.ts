import { abortError } from '../../media/errors.js';
import type { Clock } from '../contract/clock.js';

/** Result of `withTimeout` when the time is up. */
export const TIMED_OUT: unique symbol = Symbol('timed-out');

export interface TimeoutOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * The work's result, or `TIMED_OUT` if it takes longer than `ms`. The work itself continues.
 * @param ms - Infinity: no limit
 * @throws MediaError ABORTED as soon as the signal fires
 */
export function withTimeout<T>(
  work: Promise<T>,
  ms: number,
  { clock, signal }: Partial<TimeoutOptions> & Pick<TimeoutOptions, 'clock'>,
): Promise<T | typeof TIMED_OUT> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      timer?.cancel();
      signal?.removeEventListener('abort', aborted);
    };
    const aborted = () => {
      stop();
      reject(abortError());
    };
    const onTimeout = () => {
      stop();
      resolve(TIMED_OUT);
    };
    const timer = ms === Number.POSITIVE_INFINITY ? undefined : clock.after(ms, onTimeout);
    signal?.addEventListener('abort', aborted, { once: true });
    work.then(resolve, reject).finally(stop);
    if (signal?.aborted) aborted();
  });
}
