import { abortError } from '../errors.js';

/**
 * Priorities of jobs, most urgent first. They belong to a job, not to a call: the later chunks of a long
 * text wait behind everybody's first chunk.
 */
export const PRIORITIES = [
  'first-chunk',
  'turn',
  'final-transcript',
  'later-chunk',
  'interim-transcript',
  'background',
] as const;

export type Priority = (typeof PRIORITIES)[number];

/** Priority of a job and, within the priority, its deadline. */
export interface Urgency {
  readonly priority: Priority;
  /** When the result is needed, in ms of `performance.now()`. Default: now. */
  readonly dueAt?: number | undefined;
}

/** An urgency in comparable form. */
interface Rank {
  /** Index in PRIORITIES. */
  readonly level: number;
  readonly dueAt: number;
}

/** The rank of a job that is submitted now. Jobs without a deadline run in order of submission. */
function rankOf(urgency: Priority | Urgency): Rank {
  const { priority, dueAt } = typeof urgency === 'string' ? { priority: urgency } : urgency;
  return { level: PRIORITIES.indexOf(priority), dueAt: dueAt ?? performance.now() };
}

/** Negative if `left` is more urgent. */
function compareRanks(left: Rank, right: Rank): number {
  return left.level - right.level || left.dueAt - right.dueAt;
}

/** Called after each job with the time that it waited for its permit and the time that it ran, in ms. */
export type PermitObserver = (priority: Priority, waitMs: number, runMs: number) => void;

interface Waiter {
  readonly rank: Rank;
  readonly thread: ThreadQueue | undefined;
  readonly grant: () => void;
}

/**
 * The CPU permits of a process. Models, signal processing and encoders run on worker threads; each job
 * takes a permit for its duration.
 */
export class CpuScheduler {
  readonly #waiters = new Set<Waiter>();
  readonly #observe: PermitObserver;
  readonly total: number;
  #free: number;
  #lastForegroundAt = Number.NEGATIVE_INFINITY;

  /** @param total - maximum number of jobs that run at the same time, ≥ 1 */
  constructor(total: number, observe: PermitObserver = () => undefined) {
    this.total = total;
    this.#free = total;
    this.#observe = observe;
  }

  /** Time since the last job that was not a background job started, in ms. */
  get sinceForegroundMs(): number {
    return performance.now() - this.#lastForegroundAt;
  }

  /** Permits in use. */
  get busy(): number {
    return this.total - this.#free;
  }

  /** Jobs of a priority that wait for a permit; those whose thread is busy do not count. */
  waiting(priority: Priority): number {
    const level = PRIORITIES.indexOf(priority);
    const counts = ({ rank, thread }: Waiter) => rank.level === level && !thread?.isBusy;
    return [...this.#waiters].filter(counts).length;
  }

  /**
   * Runs `job` once a permit and its thread are free: the most urgent job first, within a priority the
   * earliest deadline. The observed wait starts when the thread is free.
   * @param thread - the thread that runs the job, if it runs one job at a time
   * @throws MediaError ABORTED when `signal` fires while the job waits; a running job is not stopped
   */
  async use<T>(
    urgency: Priority | Urgency,
    job: () => Promise<T>,
    {
      signal,
      thread,
    }: { readonly signal?: AbortSignal | undefined; readonly thread?: ThreadQueue } = {},
  ): Promise<T> {
    const requestedAt = performance.now();
    const priority = typeof urgency === 'string' ? urgency : urgency.priority;
    await this.#acquire(rankOf(urgency), thread, signal);
    const grantedAt = performance.now();
    const readySince = Math.max(requestedAt, thread?.freeSince ?? requestedAt);
    if (priority !== 'background') this.#lastForegroundAt = grantedAt;
    try {
      return await job();
    } finally {
      const endedAt = performance.now();
      this.#release(thread, endedAt);
      this.#observe(priority, grantedAt - readySince, endedAt - grantedAt);
    }
  }

  #acquire(rank: Rank, thread: ThreadQueue | undefined, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(abortError());
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiters.delete(waiter);
        reject(abortError());
      };
      const waiter: Waiter = {
        rank,
        thread,
        grant: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#dispatch();
    });
  }

  #release(thread: ThreadQueue | undefined, endedAt: number): void {
    this.#free++;
    if (thread) {
      thread.isBusy = false;
      thread.freeSince = endedAt;
    }
    this.#dispatch();
  }

  /** Grants free permits to the most urgent jobs whose threads are free. */
  #dispatch(): void {
    while (this.#free > 0) {
      const next = this.#mostUrgent();
      if (!next) return;
      this.#waiters.delete(next);
      this.#free--;
      if (next.thread) next.thread.isBusy = true;
      next.grant();
    }
  }

  #mostUrgent(): Waiter | undefined {
    let next: Waiter | undefined;
    // The first of equal jobs wins: a set keeps the order of insertion.
    for (const waiter of this.#waiters) {
      if (waiter.thread?.isBusy) continue;
      if (!next || compareRanks(waiter.rank, next.rank) < 0) next = waiter;
    }
    return next;
  }
}

/** The queue of one thread or process: its jobs run one at a time, each with a CPU permit. */
export class ThreadQueue {
  readonly #scheduler: CpuScheduler;
  /** A job of this queue runs. Set by `CpuScheduler` only. */
  isBusy = false;
  /** End of the last job, in ms of `performance.now()`. Set by `CpuScheduler` only. */
  freeSince = Number.NEGATIVE_INFINITY;

  constructor(scheduler: CpuScheduler) {
    this.#scheduler = scheduler;
  }

  /**
   * Runs `job` once a permit and the thread are free, the most urgent first.
   * @throws MediaError ABORTED when `signal` fires while the job waits; a running job is not stopped
   */
  use<T>(urgency: Priority | Urgency, job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#scheduler.use(urgency, job, { signal, thread: this });
  }
}
