import { setImmediate as nextMacrotask } from 'node:timers/promises';
import type { Clock, Timer } from '../../contract/clock.js';

interface QueuedTimer {
  readonly dueMs: number;
  readonly order: number;
  readonly act: () => unknown;
}

/** Timers by due time; timers that are due at the same time keep the order in which they were added. */
export class TimerQueue {
  #order = 0;
  readonly #timers = new Set<QueuedTimer>();

  get size(): number {
    return this.#timers.size;
  }

  add(dueMs: number, act: () => unknown): Timer {
    const timer: QueuedTimer = { dueMs, order: this.#order++, act };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  /** Due time of the first timer; undefined if there is none. */
  get nextMs(): number | undefined {
    return this.#first()?.dueMs;
  }

  /** Removes and returns the first timer. */
  take(): QueuedTimer | undefined {
    const first = this.#first();
    if (first) this.#timers.delete(first);
    return first;
  }

  #first(): QueuedTimer | undefined {
    let first: QueuedTimer | undefined;
    for (const timer of this.#timers) {
      const isEarlier =
        !first ||
        timer.dueMs < first.dueMs ||
        (timer.dueMs === first.dueMs && timer.order < first.order);
      if (isEarlier) first = timer;
    }
    return first;
  }
}

/** A clock that advances as fast as its timers and their consequences can be computed. */
export class VirtualClock implements Clock {
  #nowMs = 0;
  readonly #timers = new TimerQueue();

  now(): number {
    return this.#nowMs;
  }

  after(ms: number, act: () => void): Timer {
    return this.#add(ms, act);
  }

  /** Resolves with the result of `work` after `ms` of this clock's time, however long `work` takes. */
  later<T>(ms: number, work: Promise<T>): Promise<T> {
    // It may reject before the timer attaches a handler.
    work.catch(() => undefined);
    return new Promise((resolve, reject) => {
      this.#add(ms, () => work.then(resolve, reject));
    });
  }

  /** Advances to `untilMs` and runs the timers that are due by then. */
  async runTo(untilMs: number): Promise<void> {
    for (
      let at = this.#timers.nextMs;
      at !== undefined && at <= untilMs;
      at = this.#timers.nextMs
    ) {
      this.#nowMs = Math.max(this.#nowMs, at);
      await this.#timers.take()?.act();
      await settled();
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  #add(ms: number, act: () => unknown): Timer {
    return this.#timers.add(this.#nowMs + Math.max(0, ms), act);
  }
}

/** Resolves when every promise that can settle without the clock or a port has settled. */
export async function settled(): Promise<void> {
  await nextMacrotask();
}
