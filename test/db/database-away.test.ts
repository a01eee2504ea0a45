import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../src/db/connect.js';
import { isDatabaseAway } from '../../src/db/database-away.js';
import { type EmbeddedDatabase, startEmbeddedPostgres } from '../../src/db/embedded-postgres.js';
import { copyCluster } from '../support/database.js';
import { CACHE, makeTestFolder } from '../support/test-folder.js';

describe('isDatabaseAway', () => {
  let folder: string;
  let server: EmbeddedDatabase;
  beforeEach(async () => {
    folder = makeTestFolder();
    await copyCluster(folder);
    server = await startEmbeddedPostgres({ dataDir: folder, cacheDir: CACHE });
  });
  afterEach(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  async function faultOf(query: PromiseLike<unknown>): Promise<unknown> {
    return query.then(
      () => 'no fault',
      (fault: unknown) => fault,
    );
  }

  it('knows a query that the end of the server cut off, and one that finds no server', async () => {
    const db = connect(server.connection);
    await db.raw('select 1');
    const sleeping = faultOf(db.raw('select pg_sleep(20)'));
    await expect
      .poll(async () => (await db('pg_stat_activity').whereLike('query', '%pg_sleep(20)%')).length)
      .toBe(1);
    await server.stop();
    expect(isDatabaseAway(await sleeping)).toBe(true);
    expect(isDatabaseAway(await faultOf(db.raw('select 1')))).toBe(true);
    await db.destroy();
  });

  it('knows a pool that has no connection to spare', async () => {
    const db = connect(server.connection, { poolMax: 1 });
    db.client.pool.acquireTimeoutMillis = 50;
    const transaction = await db.transaction();
    expect(isDatabaseAway(await faultOf(db.raw('select 1')))).toBe(true);
    await transaction.rollback();
    await db.destroy();
  });

  it('leaves faults of a query alone', async () => {
    const db = connect(server.connection);
    expect(isDatabaseAway(await faultOf(db.raw('select * from nothing')))).toBe(false);
    expect(isDatabaseAway(await faultOf(db.raw("select 'x'::integer")))).toBe(false);
    expect(isDatabaseAway(new Error('something else'))).toBe(false);
    await db.destroy();
  });
});
