import type { Clock } from '../../../../agents-runtime/contract/clock.js';
import { abortError } from '../../../../media/errors.js';

/** So much is sent before it is due, as the network may take its time. */
const LEAD_MS = 100;

/** Lets audio go at the speed at which it is heard. */
export class Pacer {
  readonly #clock: Clock;
  /** When the listener has heard all that was let go; undefined before the first. */
  #playedUntilMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when the next `ms` of audio may go. @throws MediaError ABORTED when the signal fires. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    // A listener who ran dry waits: nothing is made up for.
    this.#playedUntilMs = Math.max(this.#playedUntilMs ?? now, now);
    const waitMs = this.#playedUntilMs - LEAD_MS - now;
    this.#playedUntilMs += ms;
    if (waitMs > 0) await this.#sleep(waitMs, signal);
    if (signal.aborted) throw abortError();
  }

  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.after(ms, done);
      function done(): void {
        timer.cancel();
        signal.removeEventListener('abort', done);
        resolve();
      }
      signal.addEventListener('abort', done);
    });
  }
}
