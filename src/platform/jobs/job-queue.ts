import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type Runner, run, type TaskList } from 'graphile-worker';
import type { Knex } from 'knex';
import type { Pool } from 'pg';
import type { Logger as Log } from 'pino';
import { createPgPool } from '../db/connect.js';
import { JOB_SCHEMA } from '../db/job-queue-schema.js';

/** Carries out a job of its kind; it may come twice, and another gateway may have done it. */
type Task = (payload: unknown) => Promise<void>;

export interface JobQueueParts {
  readonly db: Knex;
  readonly log: Log;
  /** By the names under which jobs are added. */
  readonly tasks: Readonly<Record<string, Task>>;
  /** Jobs at once in this gateway. */
  readonly concurrency: number;
}

/** One connection listens, the others take and finish jobs; none is held while a job runs. */
const CONNECTIONS = 3;
/** How often is looked without a notice: for jobs whose time has come. */
const POLL_MS = 1_000;
/** Jobs that wait here for a worker are returned to the database after this long. */
const RETURN_AFTER_MS = 5_000;
/** A queue that lost its database is opened again after this long. */
const REOPEN_MS = 1_000;

/**
 * Does the jobs that are in the database, with the other gateways. Jobs are added by SQL
 * (`graphile_worker.add_job`) in the transaction of what they are about. A job whose gateway dies
 * stays locked for hours: whoever needs it sooner adds another.
 */
export class JobQueue {
  readonly #parts: JobQueueParts;
  readonly #pool: Pool;
  readonly #closing = new AbortController();
  #runner: Runner | undefined;
  readonly #work: Promise<void>;

  constructor(parts: JobQueueParts) {
    this.#parts = parts;
    this.#pool = createPgPool(parts.db, CONNECTIONS, (error) =>
      parts.log.warn({ err: error }, 'the job queue lost a connection'),
    );
    this.#work = this.#keepRunning();
  }

  /** Lets jobs that run finish. */
  async close(): Promise<void> {
    this.#closing.abort();
    // It may have stopped by itself in this very moment.
    await this.#runner?.stop().catch(() => undefined);
    await this.#work;
    await this.#pool.end();
  }

  /** The runner ends when the database goes away in the middle of a job's end; then it is made anew. */
  async #keepRunning(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        this.#runner = await this.#open();
        if (signal.aborted) await this.#runner.stop();
        await this.#runner.promise;
      } catch (error) {
        this.#parts.log.warn({ err: error }, 'the job queue stopped');
      }
      this.#runner = undefined;
      if (!signal.aborted) await sleep(REOPEN_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  #open(): Promise<Runner> {
    const { log, tasks, concurrency } = this.#parts;
    return run({
      pgPool: this.#pool,
      taskList: tasks as TaskList,
      parsedCronItems: [],
      noHandleSignals: true,
      logger: new Logger(() => (level, _message, meta) => {
        // Its messages quote what a task threw: only the error's kind is worth a line. Its warnings
        // advise on settings that we chose, such as fewer connections than jobs.
        if (level !== 'error') return;
        log.warn({ err: meta?.error }, 'the job queue met a fault');
      }),
      preset: {
        worker: {
          schema: JOB_SCHEMA,
          concurrentJobs: concurrency,
          pollInterval: POLL_MS,
          // One poll for all workers, instead of one for each. Jobs for which no worker becomes free
          // in time are returned for other gateways.
          localQueue: { size: concurrency, ttl: RETURN_AFTER_MS },
          // Only so does the library wait for the end of its jobs, and see when that fails.
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
    });
  }
}
