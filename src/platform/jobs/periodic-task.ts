export interface PeriodicTaskOptions {
  readonly intervalMs: number;
  /** Work of one run. The signal aborts at `close`. */
  readonly run: (closing: AbortSignal) => Promise<unknown>;
  /** Receives the error of a run that failed, usually to log it. The next run is not affected. */
  readonly onError: (error: unknown) => void;
}

/** Repeats work at an interval. Runs never overlap, and do not keep the process alive. */
export class PeriodicTask {
  readonly #options: PeriodicTaskOptions;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(options: PeriodicTaskOptions) {
    this.#options = options;
  }

  /** Starts the interval. The first run is after one interval. */
  start(): void {
    if (this.#closing.signal.aborted) return;
    this.#timer ??= setInterval(() => void this.runNow(), this.#options.intervalMs).unref();
  }

  /** Stops the interval. `start` starts it again. */
  pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Runs at once, or joins the run in progress. Never rejects. */
  runNow(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Stops the interval for good, and waits for the run in progress. */
  async close(): Promise<void> {
    this.pause();
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      await this.#options.run(this.#closing.signal);
    } catch (error) {
      this.#options.onError(error);
    }
  }
}
