import type { CpuScheduler, Lane, Priority, Urgency } from './cpu-scheduler.js';

/** The queue before one worker thread: its jobs run one at a time, each with a CPU permit. */
export class JobQueue {
  readonly #permits: CpuScheduler;
  readonly #lane: Lane = { isBusy: false, freeSince: Number.NEGATIVE_INFINITY };

  constructor(permits: CpuScheduler) {
    this.#permits = permits;
  }

  /**
   * Runs `job` when both a permit and the thread are free, the most urgent first.
   * @throws MediaError ABORTED when `signal` fires while the job still waits; a running job is not stopped.
   */
  use<T>(urgency: Priority | Urgency, job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#permits.use(urgency, job, { signal, lane: this.#lane });
  }
}
