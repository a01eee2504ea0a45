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

/** Told of every granted permit: how long the job waited and how long it then ran, in ms. */
export type PermitObserver = (priority: Priority, waitMs: number, runMs: number) => void;

interface Waiter {
  readonly grant: () => void;
}

/**
 * The one pool of CPU permits of a process. Models, signal processing and encoders run on worker
 * threads and take a permit for each job; the audio thread itself computes nothing.
 */
export class CpuPermits {
  readonly #queues = new Map<Priority, Set<Waiter>>(PRIORITIES.map((p) => [p, new Set()]));
  readonly #observe: PermitObserver;
  readonly total: number;
  #free: number;

  /** @param total jobs that may compute at the same time, ≥ 1. */
  constructor(total: number, observe: PermitObserver = () => undefined) {
    this.total = total;
    this.#free = total;
    this.#observe = observe;
  }

  /** Permits in use now. */
  get busy(): number {
    return this.total - this.#free;
  }

  /** Jobs that wait at this priority. */
  waiting(priority: Priority): number {
    return this.#queues.get(priority)!.size;
  }

  /**
   * Runs `job` when a permit is free, the most urgent first.
   * @throws MediaError ABORTED when `signal` fires while the job still waits; a running job is not stopped.
   */
  async use<T>(priority: Priority, job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const asked = performance.now();
    await this.#acquire(priority, signal);
    const granted = performance.now();
    try {
      return await job();
    } finally {
      this.#release();
      this.#observe(priority, granted - asked, performance.now() - granted);
    }
  }

  #acquire(priority: Priority, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(abortError());
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(priority)!;
      const onAbort = () => {
        queue.delete(waiter);
        reject(abortError());
      };
      const waiter: Waiter = {
        grant: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      queue.add(waiter);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  #release(): void {
    for (const queue of this.#queues.values()) {
      const [next] = queue;
      if (!next) continue;
      queue.delete(next);
      next.grant();
      return;
    }
    this.#free++;
  }
}
