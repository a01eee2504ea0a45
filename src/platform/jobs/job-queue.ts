import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type Runner, run, type TaskList } from 'graphile-worker';
import type { Knex } from 'knex';
import type { Pool } from 'pg';
import type { Logger as Log } from 'pino';
import { createPgPool } from '../db/connect.js';
import { JOB_SCHEMA } from '../db/job-queue-schema.js';

/** Runs a job. A job may run twice, and on another gateway. */
type Task = (payload: unknown) => Promise<void>;

export interface JobQueueParts {
  readonly db: Knex;
  readonly log: Log;
  /** By the names of the jobs. */
  readonly tasks: Readonly<Record<string, Task>>;
  /** Jobs that run at the same time in this gateway. */
  readonly concurrency: number;
  /** Interval between searches for jobs with a delay, ms. Default: 5,000. */
  readonly pollMs?: number | undefined;
}

/** One connection listens, the others claim and finish jobs. A running job needs no connection. */
const CONNECTIONS = 3;
/** Interval between searches for jobs with a delay. Other jobs start at once, by a notice. */
const POLL_MS = 5_000;
/** Jobs that wait here for a worker are returned to the database after this long. */
const RETURN_AFTER_MS = 5_000;
/** Delay before a queue that lost its database is opened again. */
const REOPEN_MS = 1_000;

/**
 * Runs the jobs in the database, shared with the other gateways. Jobs are added by SQL
 * (`graphile_worker.add_job`) in the transaction of the rows that they concern. A job whose gateway
 * dies stays locked for hours: add another one if it is needed sooner.
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
      parts.log.warn({ err: error }, 'The job queue lost a database connection'),
    );
    this.#work = this.#keepRunning();
  }

  /** Waits for running jobs. */
  async close(): Promise<void> {
    this.#closing.abort();
    // The runner may have stopped at the same moment.
    await this.#runner?.stop().catch(() => undefined);
    await this.#work;
    await this.#pool.end();
  }

  /** Creates a new runner when one ends, as happens if the database is lost at the end of a job. */
  async #keepRunning(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        this.#runner = await this.#open();
        if (signal.aborted) await this.#runner.stop();
        await this.#runner.promise;
      } catch (error) {
        this.#parts.log.warn(
          { err: error },
          'The job queue stopped: it is started again in a second',
        );
      }
      this.#runner = undefined;
      if (!signal.aborted) await sleep(REOPEN_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  #open(): Promise<Runner> {
    const { log, tasks, concurrency, pollMs = POLL_MS } = this.#parts;
    return run({
      pgPool: this.#pool,
      taskList: tasks as TaskList,
      parsedCronItems: [],
      noHandleSignals: true,
      logger: new Logger(() => (level, _message, meta) => {
        // The messages quote errors of tasks, so only the error is logged. The warnings concern chosen
        // settings, such as fewer connections than jobs.
        if (level !== 'error') return;
        log.warn({ err: meta?.error }, 'Error in the job queue');
      }),
      preset: {
        worker: {
          schema: JOB_SCHEMA,
          concurrentJobs: concurrency,
          pollInterval: pollMs,
          // One poll for all workers, instead of one for each. Jobs for which no worker becomes free
          // in time are returned for other gateways.
          localQueue: { size: concurrency, ttl: RETURN_AFTER_MS },
          // Without delays, the library waits for the end of jobs and notices its failure.
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
    });
  }
}
