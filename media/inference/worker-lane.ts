import {
  type CpuPermits,
  compareRanks,
  PRIORITIES,
  type Priority,
  type Rank,
  rankOf,
  type Urgency,
} from './cpu-permits.js';

interface Waiter {
  readonly rank: Rank;
  readonly wake: () => void;
}

/**
 * The queue before one worker thread: its jobs run one at a time, each with a CPU permit of its own
 * priority. A job that gets a permit while the thread is busy gives it back at once, so no permit is
 * spent on waiting and no urgent job stands behind one that is not.
 */
export class WorkerLane {
  readonly #permits: CpuPermits;
  readonly #waiting = new Set<Waiter>();
  #isBusy = false;

  constructor(permits: CpuPermits) {
    this.#permits = permits;
  }

  /**
   * Runs `job` when both a permit and the thread are free.
   * @throws MediaError ABORTED when `signal` fires while the job still waits; a running job is not stopped.
   */
  async use<T>(
    urgency: Priority | Urgency,
    job: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const rank = rankOf(urgency);
    // Asked again it keeps its place.
    const asked: Urgency = { priority: PRIORITIES[rank.level]!, dueAt: rank.dueAt };
    for (;;) {
      if (this.#isBusy && !signal?.aborted) await this.#idle(rank, signal);
      const done = await this.#permits.use(asked, () => this.#try(job), signal);
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
      // In their order: where a permit is free, the first to ask gets it.
      const waiters = [...this.#waiting].sort((a, b) => compareRanks(a.rank, b.rank));
      for (const { wake } of waiters) wake();
    }
  }

  /** Resolves when the thread has become free or the signal fires. */
  #idle(rank: Rank, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(waiter);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const waiter: Waiter = { rank, wake };
      this.#waiting.add(waiter);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }
}
