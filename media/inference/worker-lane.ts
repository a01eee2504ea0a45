import type { CpuPermits, Priority } from './cpu-permits.js';

/**
 * The queue before one worker thread: its jobs run one at a time, each with a CPU permit of its own
 * priority. A job that gets a permit while the thread is busy gives it back at once, so no permit is
 * spent on waiting and no urgent job stands behind one that is not.
 */
export class WorkerLane {
  readonly #permits: CpuPermits;
  readonly #waiting = new Set<() => void>();
  #isBusy = false;

  constructor(permits: CpuPermits) {
    this.#permits = permits;
  }

  /**
   * Runs `job` when both a permit and the thread are free.
   * @throws MediaError ABORTED when `signal` fires while the job still waits; a running job is not stopped.
   */
  async use<T>(priority: Priority, job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (;;) {
      if (this.#isBusy && !signal?.aborted) await this.#idle(signal);
      const done = await this.#permits.use(priority, () => this.#try(job), signal);
      if (done) return done.output;
    }
  }

  async #try<T>(job: () => Promise<T>): Promise<{ readonly output: T } | undefined> {
    if (this.#isBusy) return undefined;
    this.#isBusy = true;
    try {
      return { output: await job() };
    } finally {
      this.#isBusy = false;
      for (const wake of this.#waiting) wake();
    }
  }

  /** Resolves when the thread has become free or the signal fires. */
  #idle(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }
}
