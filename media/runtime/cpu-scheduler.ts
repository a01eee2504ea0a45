import { abortError } from '../errors.js';

/**
 * Who may compute first, most urgent first. Priorities are per job, so a long text never delays a
 * caller: its later chunks stand behind everyone's first.
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

/** What a job asks with: its priority, and among its equals the time when its result is needed. */
export interface Urgency {
  readonly priority: Priority;
  /** In ms of `performance.now()`; without it at once. */
  readonly dueAt?: number | undefined;
}

/** An urgency as it is compared. */
interface Rank {
  /** Index in PRIORITIES. */
  readonly level: number;
  readonly dueAt: number;
}

/** The place of a job that asks now. Jobs that are due at once are served as they came. */
function rankOf(urgency: Priority | Urgency): Rank {
  const { priority, dueAt } = typeof urgency === 'string' ? { priority: urgency } : urgency;
  return { level: PRIORITIES.indexOf(priority), dueAt: dueAt ?? performance.now() };
}

/** Negative where `left` goes first. */
function compareRanks(left: Rank, right: Rank): number {
  return left.level - right.level || left.dueAt - right.dueAt;
}

/** Told of every granted permit: how long the job waited and how long it then ran, in ms. */
export type PermitObserver = (priority: Priority, waitMs: number, runMs: number) => void;

/** A worker that does one job at a time: of the jobs for it only one is granted a permit. */
export interface Lane {
  /** Set by `CpuPermits` alone. */
  isBusy: boolean;
  /** When its last job ended, in ms of `performance.now()`. */
  freeSince: number;
}

interface Waiter {
  readonly rank: Rank;
  readonly lane: Lane | undefined;
  readonly grant: () => void;
}

/**
 * The one pool of CPU permits of a process. Models, signal processing and encoders run on worker
 * threads and take a permit for each job; the audio thread itself computes nothing.
 */
export class CpuScheduler {
  readonly #waiters = new Set<Waiter>();
  readonly #observe: PermitObserver;
  readonly total: number;
  #free: number;
  #awaitedAt = Number.NEGATIVE_INFINITY;

  /** @param total jobs that may compute at the same time, ≥ 1. */
  constructor(total: number, observe: PermitObserver = () => undefined) {
    this.total = total;
    this.#free = total;
    this.#observe = observe;
  }

  /** Since somebody last waited for what a job computes, ms: background jobs do not count. */
  get sinceAwaitedMs(): number {
    return performance.now() - this.#awaitedAt;
  }

  /** Permits in use now. */
  get busy(): number {
    return this.total - this.#free;
  }

  /** Jobs that wait for a permit at this priority; those that wait for their worker do not count. */
  waiting(priority: Priority): number {
    const level = PRIORITIES.indexOf(priority);
    const counts = ({ rank, lane }: Waiter) => rank.level === level && !lane?.isBusy;
    return [...this.#waiters].filter(counts).length;
  }

  /**
   * Runs `job` when a permit and its lane are free, the most urgent first; of one priority, what is due
   * first. The wait that is observed is the one for the permit, from when the lane was free.
   * @throws MediaError ABORTED when `signal` fires while the job still waits; a running job is not stopped.
   */
  async use<T>(
    urgency: Priority | Urgency,
    job: () => Promise<T>,
    { signal, lane }: { readonly signal?: AbortSignal | undefined; readonly lane?: Lane } = {},
  ): Promise<T> {
    const asked = performance.now();
    const priority = typeof urgency === 'string' ? urgency : urgency.priority;
    await this.#acquire(rankOf(urgency), lane, signal);
    const granted = performance.now();
    const readySince = Math.max(asked, lane?.freeSince ?? asked);
    if (priority !== 'background') this.#awaitedAt = granted;
    try {
      return await job();
    } finally {
      const ended = performance.now();
      this.#release(lane, ended);
      this.#observe(priority, granted - readySince, ended - granted);
    }
  }

  #acquire(rank: Rank, lane: Lane | undefined, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(abortError());
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiters.delete(waiter);
        reject(abortError());
      };
      const waiter: Waiter = {
        rank,
        lane,
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

  #release(lane: Lane | undefined, endedAt: number): void {
    this.#free++;
    if (lane) {
      lane.isBusy = false;
      lane.freeSince = endedAt;
    }
    this.#dispatch();
  }

  /** Grants free permits to the most urgent jobs whose lanes are free. */
  #dispatch(): void {
    while (this.#free > 0) {
      const next = this.#mostUrgent();
      if (!next) return;
      this.#waiters.delete(next);
      this.#free--;
      if (next.lane) next.lane.isBusy = true;
      next.grant();
    }
  }

  #mostUrgent(): Waiter | undefined {
    let next: Waiter | undefined;
    // Of equals the first one stays: a set keeps the order of arrival.
    for (const waiter of this.#waiters) {
      if (waiter.lane?.isBusy) continue;
      if (!next || compareRanks(waiter.rank, next.rank) < 0) next = waiter;
    }
    return next;
  }
}
