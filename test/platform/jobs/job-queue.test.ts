import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { JobQueue } from '../../../src/platform/jobs/job-queue.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';

const database = withDatabase();
let queue: JobQueue | undefined;
afterEach(() => queue?.close());

const log = pino({ level: 'silent' });
const addJob = (payload: unknown, inMs = 0) =>
  database.db.raw(
    `select graphile_worker.add_job('note', ?::json, run_at := now() + ? * interval '1 ms')`,
    [JSON.stringify(payload), inMs],
  );

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const limit = Date.now() + 25_000; !(await isTrue()); ) {
    if (Date.now() > limit) throw new Error('The condition did not become true in time');
    await sleep(10);
  }
}

function open(recordJob: (payload: unknown) => Promise<void>): JobQueue {
  const tasks = { note: recordJob };
  return new JobQueue({ db: database.db, log, tasks, concurrency: 4, pollMs: 100 });
}

it('a job runs immediately, and a scheduled one at its time', async () => {
  const done: unknown[] = [];
  queue = open(async (payload) => void done.push([payload, Date.now()]));
  await addJob('first');
  await until(() => done.length === 1);
  const addedAt = Date.now();
  await addJob('late', 1_200);
  await addJob('soon');
  await until(() => done.length === 3);
  expect(done.map((each) => (each as unknown[])[0])).toEqual(['first', 'soon', 'late']);
  expect(((done[2] as unknown[])[1] as number) - addedAt).toBeGreaterThanOrEqual(1_190);
});

it('close waits for the running job', async () => {
  let isDone = false;
  let isRunning = false;
  queue = open(async () => {
    isRunning = true;
    await sleep(300);
    isDone = true;
  });
  await addJob('x');
  await until(() => isRunning);
  await queue.close();
  queue = undefined;
  expect(isDone).toBe(true);
  const { rows } = await database.db.raw('select * from graphile_worker.jobs');
  expect(rows).toEqual([]);
});

it('close works before the queue has opened', async () => {
  await open(async () => undefined).close();
});

it('the queue continues after the database has dropped every connection during a job', async () => {
  const done: unknown[] = [];
  let isCut = false;
  queue = open(async (payload) => {
    done.push(payload);
    if (payload !== 'cut' || isCut) return;
    await database.db.raw(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where pid <> pg_backend_pid() and datname = current_database()`,
    );
    isCut = true;
  });
  await addJob('cut');
  await until(() => isCut);
  // A dropped connection may be reused before its end is noticed.
  const isAdded = () =>
    addJob('after').then(
      () => true,
      () => false,
    );
  await until(isAdded);
  await until(() => done.includes('after'));
});
