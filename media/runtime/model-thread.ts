import type { TransferListItem } from 'node:worker_threads';
import { MediaError } from '../errors.js';
import { type CpuScheduler, ThreadQueue, type Urgency } from './cpu-scheduler.js';
import type { WatchdogLimits } from './watchdog.js';
import type { JobMap } from './worker-protocol.js';
import { WorkerThread } from './worker-thread.js';

/** Options of a `ModelThread`. */
export interface ModelThreadOptions {
  readonly script: URL;
  /** Plain data for the worker. Default: none. */
  readonly workerData?: unknown;
  readonly scheduler: CpuScheduler;
  /** Limits of the watchdog. Default: 5 s for a reply and 60 s for the first one. */
  readonly limits?: Partial<WatchdogLimits>;
  /**
   * The worker has no state between jobs, and no job transfers buffers. A job that is lost with its worker is
   * then repeated once on the next worker. Default: false.
   */
  readonly isStateless?: boolean;
}

/** Options of a model that runs on a thread of its own. */
export interface ModelOptions {
  readonly id: string;
  /** Folder of the installed model. */
  readonly folder: string;
  readonly scheduler: CpuScheduler;
}

/** Options of one job. */
export interface ModelJobOptions extends Urgency {
  readonly signal?: AbortSignal | undefined;
  /** Buffers that are transferred instead of copied when the job starts. Default: none. */
  readonly transfer?: readonly TransferListItem[];
}

/** A worker thread with its queue: one job at a time, the most urgent first, each with a CPU permit. */
export class ModelThread<Jobs extends JobMap> {
  readonly #thread: WorkerThread<Jobs>;
  readonly #queue: ThreadQueue;
  readonly #isStateless: boolean;
  #isClosed = false;

  constructor({ script, workerData, scheduler, limits, isStateless = false }: ModelThreadOptions) {
    this.#thread = new WorkerThread(script, workerData, limits);
    this.#queue = new ThreadQueue(scheduler);
    this.#isStateless = isStateless;
  }

  /** Number of jobs that were sent to the thread and are not answered. */
  get pending(): number {
    return this.#thread.pending;
  }

  /**
   * Runs a job with a CPU permit.
   * @throws MediaError ABORTED when the signal fires while the job waits; a running job is not stopped
   * @throws MediaError WORKER_DIED, or the code of the job's error
   */
  run<Type extends keyof Jobs & string>(
    type: Type,
    input: Jobs[Type]['input'],
    { signal, transfer, ...urgency }: ModelJobOptions,
  ): Promise<Jobs[Type]['output']> {
    const run = () => this.#thread.run(type, input, transfer);
    const job = async () => {
      try {
        return await run();
      } catch (error) {
        const isLost = error instanceof MediaError && error.code === 'WORKER_DIED';
        if (!isLost || !this.#isStateless || this.#isClosed || signal?.aborted) throw error;
        return run();
      }
    };
    return this.#queue.use(urgency, job, signal);
  }

  /** Sends a job at once without a permit, for jobs that need no CPU time. @throws MediaError WORKER_DIED */
  runUnscheduled<Type extends keyof Jobs & string>(
    type: Type,
    input: Jobs[Type]['input'],
  ): Promise<Jobs[Type]['output']> {
    return this.#thread.run(type, input);
  }

  /** Ends the thread. Pending and later jobs fail with WORKER_DIED. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#thread.close();
  }
}
