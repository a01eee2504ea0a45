import { setImmediate as settled } from 'node:timers/promises';
import type { Clock, Timer } from '../../agents-runtime/clock.js';

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly act: () => void;
}

/** Time that moves only when a test says so; timers that are due at the same moment fire in the order they were set. */
export class VirtualClock implements Clock {
  #now = 0;
  #order = 0;
  readonly #entries = new Set<Entry>();

  now(): number {
    return this.#now;
  }

  after(ms: number, act: () => void): Timer {
    const entry: Entry = { at: this.#now + Math.max(0, ms), order: this.#order++, act };
    this.#entries.add(entry);
    return { cancel: () => this.#entries.delete(entry) };
  }

  /** Timers that are still set. */
  get pending(): number {
    return this.#entries.size;
  }

  /** Moves time on, firing what comes due on the way, or so many of it. */
  advance(ms: number, most = Number.POSITIVE_INFINITY): void {
    const until = this.#now + ms;
    let fired = 0;
    for (let next = this.#next(until); next && fired++ < most; next = this.#next(until)) {
      this.#entries.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.act();
    }
    this.#now = until;
  }

  /** Like `advance`, and lets everything settle after each thing that comes due, as Node does. */
  async runSettled(ms: number): Promise<void> {
    const until = this.#now + ms;
    await settled();
    for (let next = this.#next(until); next; next = this.#next(until)) {
      this.advance(Math.max(0, next.at - this.#now), 1);
      await settled();
    }
    this.advance(until - this.#now);
  }

  /** Like `advance`, and lets promises settle at every step, so that asynchronous parts take part. */
  async run(ms: number, stepMs = 5): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      this.advance(Math.min(stepMs, ms - passed));
      for (let i = 0; i < 40; i++) await Promise.resolve();
    }
  }

  #next(until: number): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#entries) {
      if (entry.at > until) continue;
      if (!first || entry.at < first.at || (entry.at === first.at && entry.order < first.order)) {
        first = entry;
      }
    }
    return first;
  }
}
