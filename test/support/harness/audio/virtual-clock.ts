import { setImmediate as settled } from 'node:timers/promises';
import type { Clock, Timer } from '../../../../agents-runtime/contract/clock.js';
import { TimerQueue } from '../../../../agents-runtime/observers/replay/virtual-clock.js';

/**
 * A clock that only tests advance. Timers with the same due time fire in the order they were set.
 */
export class VirtualClock implements Clock {
  #now = 0;
  readonly #due = new TimerQueue();

  now(): number {
    return this.#now;
  }

  after(ms: number, act: () => void): Timer {
    return this.#due.add(this.#now + Math.max(0, ms), act);
  }

  /** Number of pending timers. */
  get pending(): number {
    return this.#due.size;
  }

  /** Advances the clock and fires due timers, at most `most` of them. */
  advance(ms: number, most = Number.POSITIVE_INFINITY): void {
    const until = this.#now + ms;
    let fired = 0;
    for (let at = this.#dueBy(until); at !== undefined && fired++ < most; at = this.#dueBy(until)) {
      this.#now = Math.max(this.#now, at);
      this.#due.take()?.act();
    }
    this.#now = until;
  }

  /** Like `advance`, but lets all promises settle after each timer, as Node does. */
  async runSettled(ms: number): Promise<void> {
    const until = this.#now + ms;
    await settled();
    for (let at = this.#dueBy(until); at !== undefined; at = this.#dueBy(until)) {
      this.advance(Math.max(0, at - this.#now), 1);
      await settled();
    }
    this.advance(until - this.#now);
  }

  /** Like `advance`, but lets promises settle after each step. */
  async run(ms: number, stepMs = 5): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      this.advance(Math.min(stepMs, ms - passed));
      for (let i = 0; i < 40; i++) await Promise.resolve();
    }
  }

  /** The time of the next timer that is due by `until`. */
  #dueBy(until: number): number | undefined {
    const at = this.#due.nextMs;
    return at !== undefined && at <= until ? at : undefined;
  }
}
