import { MediaError } from '../../../../media/errors.js';
import { WorkerThread } from '../../../../media/runtime/worker-thread.js';
import type { ValidationInput, ValidationJobs } from './validation-jobs.js';

const SCRIPT = new URL('./validation.worker.js', import.meta.url);
/** To load the validator, on a machine that is busy with calls. */
const START_TIMEOUT_MS = 10_000;

/** At the deadline, the schema was still being compiled, or the arguments were being checked. */
export type ValidationOutcome =
  | { readonly problem: string | undefined }
  | { readonly late: 'compiling' | 'checking' };

/**
 * A worker thread that validates arguments, one job at a time. At a job's deadline the thread is
 * terminated and replaced.
 */
export class ValidationThread {
  #thread = new WorkerThread<ValidationJobs>(SCRIPT, undefined);
  #ready: Promise<void> | undefined;
  #isClosed = false;

  /** Starts the thread. Never rejects: the next job fails if the thread does not start. */
  async warm(): Promise<void> {
    await this.#started().catch(() => undefined);
  }

  /** @throws MediaError WORKER_DIED */
  async validate(input: ValidationInput, deadlineMs: number): Promise<ValidationOutcome> {
    await this.#started();
    let late: 'compiling' | 'checking' = 'compiling';
    const thread = this.#thread;
    const work = async () => {
      await thread.run('compile', input.schema);
      late = 'checking';
      return { problem: await thread.run('validate', input) };
    };
    try {
      return (await this.#within(deadlineMs, work())) ?? { late };
    } catch (error) {
      // The next job starts a thread again, and waits for it.
      this.#ready = undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread.terminate();
  }

  #started(): Promise<void> {
    this.#ready ??= this.#start().catch((error) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  async #start(): Promise<void> {
    const warming = this.#thread.run('warm', undefined).then(() => true);
    if (await this.#within(START_TIMEOUT_MS, warming)) return;
    throw new MediaError('WORKER_DIED', 'The validation thread did not start in time');
  }

  /** Undefined when the work is not done in time; then the thread has been replaced. */
  async #within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
    let timer: NodeJS.Timeout | undefined;
    let check: NodeJS.Immediate | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        // An answer that arrived while this thread was busy is read before the immediate runs.
        check = setImmediate(() => {
          this.#replace();
          resolve(undefined);
        });
      }, ms);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
      clearImmediate(check);
    }
  }

  #replace(): void {
    if (this.#isClosed) return;
    void this.#thread.terminate();
    this.#thread = new WorkerThread<ValidationJobs>(SCRIPT, undefined);
    this.#ready = undefined;
    void this.warm();
  }
}
