import type { Clock } from '../../../../agents-runtime/contract/clock.js';
import { abortError } from '../../../../media/errors.js';

/** Audio is sent this long before its playback time. */
const LEAD_MS = 100;

/** Limits audio to playback speed. */
export class Pacer {
  readonly #clock: Clock;
  /** When the audio so far has been played; undefined before the first chunk. */
  #playedUntilMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when the next `ms` of audio may be sent. @throws MediaError ABORTED */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    // If playback has caught up, it restarts now.
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
