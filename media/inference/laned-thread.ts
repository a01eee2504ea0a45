import type { TransferListItem } from 'node:worker_threads';
import type { CpuPermits, Urgency } from './cpu-permits.js';
import type { JobMap } from './protocol.js';
import { WorkerLane } from './worker-lane.js';
import { WorkerThread } from './worker-thread.js';

export interface LanedThreadOptions {
  readonly script: URL;
  readonly workerData?: unknown;
  readonly permits: CpuPermits;
}

/** Of a model that has a thread to itself. */
export interface ModelOptions {
  readonly id: string;
  readonly folder: string;
  readonly permits: CpuPermits;
}

export interface LanedJobOptions extends Urgency {
  readonly signal?: AbortSignal | undefined;
  /** Buffers that are handed over instead of copied, when the job begins. */
  readonly transfer?: readonly TransferListItem[];
}

/** A worker thread and the queue before it: one job at a time, the most urgent first, each with a CPU permit. */
export class LanedThread<Jobs extends JobMap> {
  readonly #thread: WorkerThread<Jobs>;
  readonly #lane: WorkerLane;

  constructor({ script, workerData, permits }: LanedThreadOptions) {
    this.#thread = new WorkerThread(script, workerData);
    this.#lane = new WorkerLane(permits);
  }

  /** Jobs that the thread has and has not answered. */
  get pending(): number {
    return this.#thread.pending;
  }

  /** @throws MediaError ABORTED when the signal fires while the job waits; a running job is not stopped. */
  run<Type extends keyof Jobs & string>(
    type: Type,
    input: Jobs[Type]['input'],
    { signal, transfer, ...urgency }: LanedJobOptions,
  ): Promise<Jobs[Type]['output']> {
    return this.#lane.use(urgency, () => this.#thread.run(type, input, transfer), signal);
  }

  /** Sent at once and without a permit: for what costs nothing. */
  tell<Type extends keyof Jobs & string>(
    type: Type,
    input: Jobs[Type]['input'],
  ): Promise<Jobs[Type]['output']> {
    return this.#thread.run(type, input);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
