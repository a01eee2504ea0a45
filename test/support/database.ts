import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { connect, type DatabaseConnection } from '../../src/db/connect.js';
import { type EmbeddedDatabase, startEmbeddedPostgres } from '../../src/db/embedded-postgres.js';
import { migrate } from '../../src/db/migrate.js';
import { otherMajor, startOtherServer } from './other-server.js';
import { CACHE, makeTestFolder } from './test-folder.js';

export interface TestDatabase {
  /** Migrated to this version's schema; there from `beforeAll` on. */
  readonly db: Knex;
  readonly connection: DatabaseConnection;
  /** Another empty database on the same server, for tests of the schema itself. */
  createEmpty(): Promise<DatabaseConnection>;
}

export interface TestDatabaseOptions {
  /** Empties every table before each test; else a test sees what those before it left. */
  readonly emptied?: 'before-each';
}

/** The embedded server or, under PARLEY_TEST_POSTGRES, that of the programs in this folder. */
type TestServer = Pick<EmbeddedDatabase, 'connection' | 'stop'>;

const otherBin = () => process.env.PARLEY_TEST_POSTGRES;

function startServer(dataDir: string): Promise<TestServer> {
  const bin = otherBin();
  if (bin !== undefined) return startOtherServer(bin, join(dataDir, 'postgres'));
  return startEmbeddedPostgres({ dataDir, cacheDir: CACHE });
}

const DAY_MS = 86_400_000;

/** A test file's own PostgreSQL, the real one, from a copy of a migrated cluster (some 0.2 s). */
export function withDatabase({ emptied }: TestDatabaseOptions = {}): TestDatabase {
  const folder = makeTestFolder();
  let server: TestServer | undefined;
  let db: Knex | undefined;
  const found = <T>(part: T | undefined): T => {
    if (!part) throw new Error('withDatabase() has its database inside tests and hooks only');
    return part;
  };
  beforeAll(async () => {
    await copyCluster(folder);
    server = await startServer(folder);
    db = connect(server.connection);
  });
  afterAll(async () => {
    await db?.destroy();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  if (emptied) beforeEach(async () => emptyTables(found(db)));
  return {
    get db() {
      return found(db);
    },
    get connection() {
      return found(server).connection;
    },
    async createEmpty() {
      const name = `empty_${randomUUID().replaceAll('-', '')}`;
      const { connection } = found(server);
      const admin = connect({ ...connection, user: 'postgres', database: 'postgres' });
      await admin.raw('create database ?? owner ??', [name, connection.user]);
      await admin.destroy();
      return { ...connection, database: name };
    },
  };
}

/** Puts a migrated database into a data folder, as a start some time ago would have left it. */
export async function copyCluster(dataDir: string): Promise<void> {
  copyFolder(await migratedCluster(), join(dataDir, 'postgres'));
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

/** Kept in the cache under a hash of what makes it. */
async function migratedCluster(): Promise<string> {
  const bin = otherBin();
  const version = bin === undefined ? '' : `-${otherMajor(bin)}`;
  const cluster = join(CACHE, 'test', `cluster-${hashOfMigrations()}${version}`);
  if (existsSync(cluster)) return cluster;
  const folder = makeTestFolder();
  const server = await startServer(folder);
  const db = connect(server.connection);
  await migrate(db);
  await db.destroy();
  await server.stop();
  await removeOldClusters();
  const draft = `${cluster}.${randomUUID()}`;
  copyFolder(join(folder, 'postgres'), draft);
  await rename(draft, cluster).catch(() => rm(draft, { recursive: true })); // another was quicker
  await rm(folder, { recursive: true });
  return cluster;
}

/** Those of other versions, but not of clones that are being tested now. */
async function removeOldClusters(): Promise<void> {
  const folder = join(CACHE, 'test');
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.startsWith('cluster-') && Date.now() - statSync(path).ctimeMs > DAY_MS) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

function hashOfMigrations(): string {
  const hash = createHash('sha256');
  const sources = fileURLToPath(new URL('../../src/db/', import.meta.url));
  for (const folder of ['migrations', 'embedded', '.']) {
    for (const name of readdirSync(join(sources, folder)).sort()) {
      if (name.endsWith('.js')) hash.update(name).update(readFileSync(join(sources, folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/** `-a` keeps the owner, and `-H` follows a cluster that root had to keep elsewhere. */
function copyFolder(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-aH', from, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`cp failed: ${stderr}`);
}
