import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { Shutdown } from '../shutdown.js';
import { connect } from './connect.js';
import { startEmbeddedPostgres } from './embedded-postgres.js';
import { migrate } from './migrate.js';

export interface DatabaseNeeds {
  readonly config: Config;
  readonly log: Logger;
  readonly shutdown: Shutdown;
  /** The embedded server is gone for good. */
  readonly onLost: (error: unknown) => void;
}

/** Connects to the configured or the embedded database and brings its schema up to date. */
export async function openDatabase({
  config,
  log,
  shutdown,
  onLost,
}: DatabaseNeeds): Promise<Knex> {
  let address: Parameters<typeof connect>[0] | undefined = config.DATABASE_URL;
  if (address === undefined) {
    const { DATA_DIR: dataDir, PARLEY_CACHE: cacheDir } = config;
    const database = await startEmbeddedPostgres({ dataDir, cacheDir, log, onLost });
    shutdown.add('database', () => database.stop());
    shutdown.proceed();
    address = database.connection;
  }
  const db = connect(address);
  shutdown.add('database pool', () => db.destroy());
  await migrate(db);
  shutdown.proceed();
  return db;
}
