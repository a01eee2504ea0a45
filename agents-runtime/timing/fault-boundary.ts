import type { Clock, Ticker } from '../contract/clock.js';

export interface FaultBoundaryOptions {
  /** Receives every exception. Must not throw. */
  readonly report: (error: unknown) => void;
  /** Ends the owner: called once, after the first exception, and not from within the callback that threw. */
  readonly end: () => void;
}

/**
 * Contains the exceptions of one call. Timers, sockets, the frame ticker and models that several calls
 * share invoke a call's callbacks through its boundary: an exception ends this call and goes no further.
 */
export class FaultBoundary {
  readonly #options: FaultBoundaryOptions;
  #hasFailed = false;

  constructor(options: FaultBoundaryOptions) {
    this.#options = options;
  }

  run(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The callback, within the boundary. */
  guard<Args extends unknown[]>(act: (...args: Args) => void): (...args: Args) => void {
    return (...args) => {
      try {
        act(...args);
      } catch (error) {
        this.#fail(error);
      }
    };
  }

  /** Reports a rejection of work that nothing awaits. */
  watch(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#fail(error));
  }

  /** The clock. Its timers no longer throw. */
  clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      after: (ms, act) => clock.after(ms, this.guard(act)),
    };
  }

  /** The ticker. Its callbacks no longer throw. */
  ticker(ticker: Ticker): Ticker {
    return { join: (act) => ticker.join(this.guard(act)) };
  }

  #fail(error: unknown): void {
    const { report, end } = this.#options;
    report(error);
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    queueMicrotask(this.guard(end));
  }
}
