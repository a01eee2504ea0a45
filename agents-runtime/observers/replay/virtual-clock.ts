import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Clock, Timer } from '../../contract/clock.js';
import { TimerQueue } from './timetable.js';

/**
 * Time that moves as fast as what happens in it can be computed. What is due at the same moment comes
 * in the order in which it was asked for, and everything settles before the next thing comes.
 */
export class VirtualClock implements Clock {
  #now = 0;
  readonly #due = new TimerQueue();

  now(): number {
    return this.#now;
  }

  after(ms: number, act: () => void): Timer {
    return this.#enter(ms, act);
  }

  /** Gives the result of real work after so many ms of this time, however long the work takes. */
  later<T>(ms: number, work: Promise<T>): Promise<T> {
    // It may fail before anybody looks.
    work.catch(() => undefined);
    return new Promise((resolve, reject) => {
      this.#enter(ms, () => work.then(resolve, reject));
    });
  }

  /** Moves on to `until`; what is due at that very moment is left for later. */
  async runTo(until: number): Promise<void> {
    for (let at = this.#due.nextAt; at !== undefined && at < until; at = this.#due.nextAt) {
      this.#now = Math.max(this.#now, at);
      await this.#due.take()?.act();
      await settled();
    }
    this.#now = Math.max(this.#now, until);
  }

  #enter(ms: number, act: () => unknown): Timer {
    return this.#due.add(this.#now + Math.max(0, ms), act);
  }
}

/** All promises that can settle have: the engine waits for nothing but its clock and its ports. */
export async function settled(): Promise<void> {
  await turnOfTheLoop();
}
