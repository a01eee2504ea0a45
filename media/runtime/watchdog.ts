/**
 * The limit is counted in timer steps. A pause of the whole process (suspended machine, blocked main
 * thread) counts as one step, so it is not mistaken for a hung worker.
 */
const STEPS = 4;

export interface WatchdogLimits {
  /** Maximum time without a message from a worker that has jobs, in ms. */
  readonly replyTimeoutMs: number;
  /** The same before its first successful reply, in ms: it may be loading a model. */
  readonly startTimeoutMs: number;
}

/** For a thread of the lowest priority, which may get no CPU time for seconds. */
export const BACKGROUND_WATCHDOG_LIMITS: Partial<WatchdogLimits> = { replyTimeoutMs: 30_000 };

export interface WatchdogOptions extends WatchdogLimits {
  /** Whether the worker has jobs. */
  readonly isBusy: () => boolean;
  /** Called once, when the worker has exceeded its limit. */
  readonly onHung: () => void;
}

/** Detects a hung worker: one that has jobs and sends no message. */
export class Watchdog {
  readonly #options: WatchdogOptions;
  #timer: NodeJS.Timeout | undefined;
  #silentSteps = 0;
  #hasStarted = false;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  /** Starts the timer if it does not run. Call it with each job; it stops when the worker is idle. */
  start(): void {
    if (this.#timer) return;
    this.#silentSteps = 0;
    this.#timer = setInterval(() => this.#step(), this.#options.replyTimeoutMs / STEPS);
    this.#timer.unref();
  }

  /**
   * Call it with each message of the worker.
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
