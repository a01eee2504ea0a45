import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { connect } from '../../../src/platform/db/connect.js';
import { isDatabaseUnavailable } from '../../../src/platform/db/database-unavailable.js';
import { startEmbeddedPostgres } from '../../../src/platform/db/embedded/embedded-postgres.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';
import { CACHE, makeTestFolder } from '../../support/harness/process/test-folder.js';

describe('isDatabaseUnavailable', () => {
  const database = withDatabase();

  async function faultOf(query: PromiseLike<unknown>): Promise<unknown> {
    return query.then(
      () => 'no fault',
      (fault: unknown) => fault,
    );
  }

  it('recognises a query that a server shutdown cancelled, and an unreachable server', async ({
    onTestFinished,
  }) => {
    const folder = makeTestFolder();
    onTestFinished(() => rm(folder, { recursive: true }));
    const server = await startEmbeddedPostgres({ dataDir: folder, cacheDir: CACHE });
    const db = connect(server.connection);
    await db.raw('select 1');
    const sleeping = faultOf(db.raw('select pg_sleep(20)'));
    await expect
      .poll(async () => (await db('pg_stat_activity').whereLike('query', '%pg_sleep(20)%')).length)
      .toBe(1);
    await server.stop();
    expect(isDatabaseUnavailable(await sleeping)).toBe(true);
    expect(isDatabaseUnavailable(await faultOf(db.raw('select 1')))).toBe(true);
    await db.destroy();
  });

  it('recognises an exhausted pool', async () => {
    const db = connect(database.connection, { poolMax: 1 });
    const transaction = await db.transaction();
    db.client.pool.acquireTimeoutMillis = 50;
    expect(isDatabaseUnavailable(await faultOf(db.raw('select 1')))).toBe(true);
    await transaction.rollback();
    await db.destroy();
  });

  it('excludes errors of a query', async () => {
    const { db } = database;
    expect(isDatabaseUnavailable(await faultOf(db.raw('select * from nothing')))).toBe(false);
    expect(isDatabaseUnavailable(await faultOf(db.raw("select 'x'::integer")))).toBe(false);
    expect(isDatabaseUnavailable(new Error('something else'))).toBe(false);
  });
});
