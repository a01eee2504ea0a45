/**
 * The limit is counted in steps: a pause of the whole process (a suspended machine, a blocked main
 * thread) then counts as one step, and is not taken for a worker that hangs.
 */
const STEPS = 4;

export interface WatchdogLimits {
  /** The longest silence of a worker that has jobs, in ms. */
  readonly answerWithinMs: number;
  /** The same before its first answer, in ms: until then it may be loading a model. */
  readonly startWithinMs: number;
}

export interface WatchdogOptions extends WatchdogLimits {
  /** Whether the worker has jobs. */
  readonly isBusy: () => boolean;
  /** Called once, when the worker was silent for longer than its limit. */
  readonly onHung: () => void;
}

/** Finds out that a worker hangs: that it has jobs and gives no sign of life. */
export class Watchdog {
  readonly #options: WatchdogOptions;
  #timer: NodeJS.Timeout | undefined;
  #silentSteps = 0;
  #hasStarted = false;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  /** Starts to watch, if it does not yet: call it with each job. It stops when the worker is idle. */
  start(): void {
    if (this.#timer) return;
    this.#silentSteps = 0;
    this.#timer = setInterval(() => this.#step(), this.#options.answerWithinMs / STEPS);
    this.#timer.unref();
  }

  /** The worker has sent something. @param hasStarted that shows that nothing has to be loaded any more. */
  alive(hasStarted: boolean): void {
    this.#silentSteps = 0;
    if (hasStarted) this.#hasStarted = true;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #step(): void {
    const { answerWithinMs, startWithinMs, isBusy, onHung } = this.#options;
    if (!isBusy()) {
      this.stop();
      return;
    }
    const limitMs = this.#hasStarted ? answerWithinMs : Math.max(startWithinMs, answerWithinMs);
    // One step more than the limit: a job may have come just before the first one.
    if (++this.#silentSteps <= (STEPS * limitMs) / answerWithinMs) return;
    this.stop();
    onHung();
  }
}
