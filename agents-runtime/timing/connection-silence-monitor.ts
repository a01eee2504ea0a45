import type { Clock, Timer } from '../contract/clock.js';

const CHECK_MS = 1_000;

/**
 * Measures once a second how long the peer of a connection has been silent. Time during which this process was
 * suspended does not count. Worker threads have `media/runtime/watchdog.ts`.
 */
export class ConnectionSilenceMonitor {
  readonly #clock: Clock;
  readonly #onCheck: (silentMs: number, lostMs: number) => void;
  #activeAt: number;
  #checkedAt: number;
  #timer: Timer | undefined;

  /**
   * @param onCheck - receives the silence, and the time that this process lost since the last call, in ms; may
   *   close the monitor
   */
  constructor(clock: Clock, onCheck: (silentMs: number, lostMs: number) => void) {
    this.#clock = clock;
    this.#onCheck = onCheck;
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
    this.#onCheck(now - this.#activeAt, lostMs);
  }
}
