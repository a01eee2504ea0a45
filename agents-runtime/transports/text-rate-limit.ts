import type { Clock } from '../contract/clock.js';

/** Typed texts per window; each text starts a reply. */
export const MAX_TEXTS = 20;
export const TEXT_WINDOW_MS = 10_000;

/** Limits the typed texts of one caller. A rejected text counts, too. */
export class TextRateLimit {
  readonly #clock: Clock;
  #times: readonly number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a text. @returns whether it is within the limit */
  accept(): boolean {
    const now = this.#clock.now();
    const recent = this.#times.filter((at) => now - at < TEXT_WINDOW_MS);
    this.#times = [...recent, now].slice(-MAX_TEXTS - 1);
    return this.#times.length <= MAX_TEXTS;
  }
}
