import type { Logger } from 'pino';

/** One step of the work. @returns the delay before the next step, ms */
export type WorkStep = (closing: AbortSignal) => Promise<number>;

const RETRY_AFTER_MS = 1_000;

/** Runs work from the database in steps until it is closed. `wake` ends the delay between steps. */
export class PollingWorker {
  readonly #step: WorkStep;
  readonly #log: Logger;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #isWoken = false;

  constructor(step: WorkStep, log: Logger) {
    this.#step = step;
    this.#log = log;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Reports that there may be work. */
  readonly wake = (): void => {
    this.#isWoken = true;
    this.#wake?.();
  };

  /** Aborts the current step, and waits for its end. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      this.#isWoken = false;
      const waitMs = await this.#step(signal).catch((error: unknown) => {
        this.#log.error(
          { err: error },
          'A step of a background worker failed; the next attempt is in a second',
        );
        return RETRY_AFTER_MS;
      });
      if (waitMs > 0) await this.#idle(waitMs);
    }
  }

  /** Waits until `wake`, the end of the delay, or `close`. */
  async #idle(ms: number): Promise<void> {
    if (this.#isWoken || this.#closing.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}
