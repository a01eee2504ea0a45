/**
 * How far a stream of speech is ahead of a listener who began to listen when it began, and plays at
 * the speed of life. Who made much is in no hurry; who is about to run dry goes first.
 */
export class PlaybackDeadline {
  #dryAt: number;

  /** @param now ms of `performance.now()`. */
  constructor(now = performance.now()) {
    this.#dryAt = now;
  }

  /** When the listener has heard everything; now, if that was before: silence is no debt. */
  dueAt(now = performance.now()): number {
    this.#dryAt = Math.max(this.#dryAt, now);
    return this.#dryAt;
  }

  /** So much more has been made. */
  made(ms: number): void {
    this.#dryAt += ms;
  }
}
