import type { Clock, Timer } from '../contract/clock.js';

const CHECK_MS = 1_000;

/**
 * For connections; workers have `media/runtime/watchdog.ts`. Measures once a second how long a peer has been
 * silent. Time during which this process was suspended does
 * not count.
 */
export class InactivityWatchdog {
  readonly #clock: Clock;
  readonly #look: (silentMs: number, lostMs: number) => void;
  #activeAt: number;
  #checkedAt: number;
  #timer: Timer | undefined;

  /**
   * @param look - receives the silence, and the time that this process lost since the last call, in ms; may
   *   close the watchdog
   */
  constructor(clock: Clock, look: (silentMs: number, lostMs: number) => void) {
    this.#clock = clock;
    this.#look = look;
    this.#activeAt = clock.now();
    this.#checkedAt = this.#activeAt;
    this.#wait();
  }

  active(): void {
    this.#activeAt = this.#clock.now();
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #wait(): void {
    this.#timer = this.#clock.after(CHECK_MS, () => this.#check());
  }

  #check(): void {
    const now = this.#clock.now();
    const lostMs = Math.max(0, now - this.#checkedAt - 2 * CHECK_MS);
    this.#checkedAt = now;
    this.#activeAt += lostMs;
    this.#wait();
    this.#look(now - this.#activeAt, lostMs);
  }
}
