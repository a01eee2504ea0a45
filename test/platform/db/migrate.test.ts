import { describe, expect, it } from 'vitest';
import { StartError } from '../../../src/config/start-error.js';
import { connect } from '../../../src/platform/db/connect.js';
import { migrate } from '../../../src/platform/db/migrate.js';
import type { Migration } from '../../../src/platform/db/migrations/migration.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';

const FIRST: Migration = {
  name: '0001-first',
  up: (transaction) => transaction.raw('create table first (id integer)'),
};
const SECOND: Migration = {
  name: '0002-second',
  up: (transaction) => transaction.raw('create table second (id integer)'),
};
const BROKEN: Migration = {
  name: '0003-broken',
  up: async (transaction) => {
    await transaction.raw('create table third (id integer)');
    await transaction.raw('this is no SQL');
  },
};

describe('migrate', () => {
  const database = withDatabase();

  async function onEmpty(use: (db: ReturnType<typeof connect>) => Promise<void>) {
    const db = connect(await database.createEmpty());
    try {
      await use(db);
    } finally {
      await db.destroy();
    }
  }

  it('runs missing migrations in order, and none twice', () =>
    onEmpty(async (db) => {
      await migrate(db, [FIRST]);
      await migrate(db, [FIRST, SECOND]);
      await migrate(db, [FIRST, SECOND]);
      const names = await db('schema_migrations').orderBy('name').pluck('name');
      expect(names).toEqual(['0001-first', '0002-second']);
      expect(await db.schema.hasTable('second')).toBe(true);
    }));

  it('leaves the schema unchanged if one fails', () =>
    onEmpty(async (db) => {
      await migrate(db, [FIRST]);
      await expect(migrate(db, [FIRST, SECOND, BROKEN])).rejects.toThrow('this is no SQL');
      expect(await db.schema.hasTable('second')).toBe(false);
      await migrate(db, [FIRST, SECOND]);
      expect(await db.schema.hasTable('second')).toBe(true);
    }));

  it('runs on one of several gateways at a time', () =>
    onEmpty(async (db) => {
      const { connection } = db.client.config;
      const gateways = Array.from({ length: 6 }, () => connect(connection));
      await Promise.all(gateways.map((gateway) => migrate(gateway, [FIRST, SECOND])));
      await Promise.all(gateways.map((gateway) => gateway.destroy()));
      expect(await db('schema_migrations').pluck('name')).toHaveLength(2);
    }));

  it('refuses a database of a newer version without changing it', () =>
    onEmpty(async (db) => {
      await migrate(db, [FIRST, SECOND]);
      const refusal = migrate(db, [FIRST]);
      await expect(refusal).rejects.toThrow(StartError);
      await expect(refusal).rejects.toThrow(
        /newer version of Parley \(its schema has 0002-second\)/,
      );
      expect(await db('schema_migrations').pluck('name')).toHaveLength(2);
    }));

  it('refuses a database from before the first release without changing it', () =>
    onEmpty(async (db) => {
      const old: Migration = { ...SECOND, name: '0001-old' };
      await migrate(db, [FIRST, old]);
      const refusal = migrate(db, [FIRST, SECOND]);
      await expect(refusal).rejects.toThrow(StartError);
      await expect(refusal).rejects.toThrow(
        /before the first release \(its schema has 0001-old\).*set DATA_DIR to a new folder/,
      );
      expect(await db('schema_migrations').pluck('name')).toHaveLength(2);
    }));

  it.each([
    ['postgres://parley:secret@127.0.0.1:1/parley', /nothing listens at its address/],
    ['postgres://parley:secret@no-such-host.invalid/parley', /host name/],
  ])('explains the error for %s without its password', async (url, reason) => {
    const db = connect(url);
    const error = await migrate(db, [FIRST]).catch((fault: unknown) => fault);
    await db.destroy();
    expect(error).toBeInstanceOf(StartError);
    expect(String(error)).toMatch(reason);
    expect(String(error)).toMatch(/DATABASE_URL/);
    expect(String(error)).not.toMatch(/secret/);
  });

  it('reports that the database of a URL does not exist', async () => {
    const db = connect({ ...database.connection, database: 'nowhere' });
    await expect(migrate(db, [FIRST])).rejects.toThrow(/it has no database of that name/);
    await db.destroy();
  });
});
