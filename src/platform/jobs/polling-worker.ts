import type { Logger } from 'pino';

/** One step of the work. @returns how long to wait before the next one, ms */
export type WorkStep = (closing: AbortSignal) => Promise<number>;

const RETRY_AFTER_MS = 1_000;

/** Does work that a database holds, step by step, until it is closed; others may say that there is more. */
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

  /** Begins with what is there. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Says that there may be work. */
  readonly wake = (): void => {
    this.#isWoken = true;
    this.#wake?.();
  };

  /** Gives up the step in hand. */
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
        this.#log.error({ err: error }, 'a step of work on knowledge failed');
        return RETRY_AFTER_MS;
      });
      if (waitMs > 0) await this.#idle(waitMs);
    }
  }

  /** Until there may be work, the time is over or the loop is closed. */
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
