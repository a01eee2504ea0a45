import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { connect, urlOf } from '../platform/db/connect.js';
import { startEmbeddedPostgres } from '../platform/db/embedded/embedded-postgres.js';
import { migrate } from '../platform/db/migrate.js';
import type { Shutdown } from '../platform/process/shutdown.js';

export interface DatabaseNeeds {
  readonly config: Config;
  readonly log: Logger;
  readonly shutdown: Shutdown;
  /** The embedded server is gone for good. */
  readonly onLost: (error: unknown) => void;
}

/** Each gateway has a pool of 10, 4 connections for searches, 3 for jobs, 1 that listens and 1 for a lock. */
const CONNECTIONS_OF_GATEWAY = 20;
const CONNECTIONS_BESIDE = 10;
const MIN_CONNECTIONS = 50;

/** A pool, and how other processes of this machine reach the same database. */
export interface OpenDatabase {
  readonly db: Knex;
  readonly databaseUrl: string;
}

/** Connects to the configured or the embedded database and brings its schema up to date. */
export async function openDatabase({
  config,
  log,
  shutdown,
  onLost,
}: DatabaseNeeds): Promise<OpenDatabase> {
  let databaseUrl = config.DATABASE_URL;
  if (databaseUrl === undefined) {
    const { DATA_DIR: dataDir, PARLEY_CACHE: cacheDir } = config;
    const wanted = CONNECTIONS_BESIDE + CONNECTIONS_OF_GATEWAY * config.GATEWAYS;
    const maxConnections = Math.max(MIN_CONNECTIONS, wanted);
    const starting = startEmbeddedPostgres({ dataDir, cacheDir, log, onLost, maxConnections });
    // Also of a start that was overtaken: a server that comes up late would be left behind.
    shutdown.add('database', async () => (await starting.catch(() => undefined))?.stop());
    const database = await starting;
    shutdown.proceed();
    databaseUrl = urlOf(database.connection);
  }
  const db = connect(databaseUrl);
  shutdown.add('database pool', () => db.destroy());
  await migrate(db);
  shutdown.proceed();
  return { db, databaseUrl };
}
