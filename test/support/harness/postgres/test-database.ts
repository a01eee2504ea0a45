import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { afterAll, beforeAll, beforeEach, inject } from 'vitest';
import { connect, type DatabaseConnection } from '../../../../src/platform/db/connect.js';

export interface TestDatabase {
  /** Migrated to the current schema; available from `beforeAll` on. */
  readonly db: Knex;
  readonly connection: DatabaseConnection;
  /** Creates another empty database on the same server, for tests of the schema itself. */
  createEmpty(): Promise<DatabaseConnection>;
}

export interface TestDatabaseOptions {
  /** Empties all tables before each test. Default: tables keep their rows. */
  readonly emptied?: 'before-each';
}

/**
 * Gives a test file its own database on the run's PostgreSQL: a copy of the migrated one. Roles and
 * `pg_stat_activity` are shared with other files that run at the same time.
 */
export function withDatabase({ emptied }: TestDatabaseOptions = {}): TestDatabase {
  const template = inject('postgres');
  let db: Knex | undefined;
  const created: DatabaseConnection[] = [];
  const found = <T>(part: T | undefined): T => {
    if (!part) throw new Error('withDatabase(): the database is available in tests and hooks only');
    return part;
  };
  const create = async (copied: string) => {
    const connection = { ...template, database: `test_${randomUUID().replaceAll('-', '')}` };
    await asAdmin(template, 'create database ?? template ?? owner ??', [
      connection.database,
      copied,
      connection.user,
    ]);
    created.push(connection);
    return connection;
  };
  beforeAll(async () => {
    db = connect(await create(template.database));
  });
  afterAll(async () => {
    await db?.destroy();
    for (const { database } of created) {
      await asAdmin(template, 'drop database ?? with (force)', [database]);
    }
  });
  if (emptied) beforeEach(async () => emptyTables(found(db)));
  return {
    get db() {
      return found(db);
    },
    get connection() {
      return found(created[0]);
    },
    createEmpty: () => create('template0'),
  };
}

async function asAdmin(server: DatabaseConnection, sql: string, names: string[]): Promise<void> {
  const admin = connect({ ...server, user: 'postgres', database: 'postgres' }, { poolMax: 1 });
  try {
    await admin.raw(sql, names);
  } finally {
    await admin.destroy();
  }
}

async function emptyTables(db: Knex): Promise<void> {
  const tables: string[] = await db('pg_tables')
    .where({ schemaname: 'public' })
    .whereNot({ tablename: 'schema_migrations' })
    .pluck('tablename');
  if (tables.length === 0) return;
  const names = tables.map(() => '??').join(', ');
  await db.raw(`truncate ${names} restart identity cascade`, tables);
}
