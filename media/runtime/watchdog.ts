/**
 * The limit is counted in timer steps. A pause of the process (suspended machine, blocked main thread)
 * counts as one step, so that it does not look like a hung worker.
 */
const STEPS = 4;

/** Limits in ms. The detection takes up to a quarter of `replyTimeoutMs` longer. */
export interface WatchdogLimits {
  /** Maximum time without a message from a worker that has jobs, in ms. */
  readonly replyTimeoutMs: number;
  /** The same before the first successful reply, in ms, because the worker may load a model. */
  readonly startTimeoutMs: number;
}

/** Limits for a thread of the lowest priority, which may get no CPU time for seconds. */
export const BACKGROUND_WATCHDOG_LIMITS: Partial<WatchdogLimits> = { replyTimeoutMs: 30_000 };

/** Limits and owner of a `Watchdog`. */
export interface WatchdogOptions extends WatchdogLimits {
  /** Whether the worker has jobs. */
  readonly isBusy: () => boolean;
  /** Called once, after the worker has exceeded its limit. */
  readonly onHung: () => void;
}

/** Detects a hung worker: a worker that has jobs and sends no message within its limit. */
export class Watchdog {
  readonly #options: WatchdogOptions;
  #timer: NodeJS.Timeout | undefined;
  #silentSteps = 0;
  #hasStarted = false;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  /** Starts the timer unless it runs. The owner calls it for each job; the timer stops when the worker is idle. */
  start(): void {
    if (this.#timer) return;
    this.#silentSteps = 0;
    this.#timer = setInterval(() => this.#step(), this.#options.replyTimeoutMs / STEPS);
    this.#timer.unref();
  }

  /**
   * Resets the limit. The owner calls it for each message of the worker.
   * @param hasStarted - the message shows that the worker has finished loading
   */
  alive(hasStarted: boolean): void {
    this.#silentSteps = 0;
    if (hasStarted) this.#hasStarted = true;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #step(): void {
    const { replyTimeoutMs, startTimeoutMs, isBusy, onHung } = this.#options;
    if (!isBusy()) {
      this.stop();
      return;
    }
    const limitMs = this.#hasStarted ? replyTimeoutMs : Math.max(startTimeoutMs, replyTimeoutMs);
    // One extra step: the job may have been submitted just before the first step.
    if (++this.#silentSteps <= (STEPS * limitMs) / replyTimeoutMs) return;
    this.stop();
    onHung();
  }
}
