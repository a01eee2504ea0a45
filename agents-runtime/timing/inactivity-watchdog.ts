import type { Clock, Timer } from '../contract/clock.js';

const CHECK_MS = 1_000;

/**
 * Looks each second for how long nothing was heard of somebody. Time that this process itself lost is
 * nobody's silence.
 */
export class InactivityWatchdog {
  readonly #clock: Clock;
  readonly #look: (silentMs: number, lostMs: number) => void;
  #heardAt: number;
  #checkedAt: number;
  #timer: Timer | undefined;

  /** @param look is told the silence, and what was lost since it last was, ms; it may close the watch. */
  constructor(clock: Clock, look: (silentMs: number, lostMs: number) => void) {
    this.#clock = clock;
    this.#look = look;
    this.#heardAt = clock.now();
    this.#checkedAt = this.#heardAt;
    this.#wait();
  }

  heard(): void {
    this.#heardAt = this.#clock.now();
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
    this.#heardAt += lostMs;
    this.#wait();
    this.#look(now - this.#heardAt, lostMs);
  }
}
