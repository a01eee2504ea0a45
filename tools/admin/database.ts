import type { Knex } from 'knex';
import type { Config } from '../../src/config/config.js';
import { connect } from '../../src/platform/db/connect.js';
import {
  runningDatabase,
  startEmbeddedPostgres,
} from '../../src/platform/db/embedded/embedded-postgres.js';
import { missingMigrations } from '../../src/platform/db/migrate.js';
import { prepareDataDir } from '../../src/platform/process/data-dir.js';
import { AdminError } from './admin-error.js';

export interface AdminDatabaseOptions {
  /** Whether the command accepts a database without tables. Default: false. */
  readonly mayBeEmpty?: boolean;
}

/**
 * Opens the installation's database for one command: the one of DATABASE_URL, or the embedded one of
 * a running gateway. Otherwise it starts the embedded database and stops it after `use`.
 * @throws AdminError, StartError with a sentence that says what to do
 */
export async function withAdminDatabase<T>(
  config: Config,
  use: (db: Knex) => Promise<T>,
  { mayBeEmpty = false }: AdminDatabaseOptions = {},
): Promise<T> {
  const { address, stop } = await openAddress(config);
  const db = connect(address, { poolMax: 2 });
  try {
    if (!mayBeEmpty) await requireThisVersion(db);
    return await use(db);
  } finally {
    await db.destroy();
    await stop();
  }
}

async function openAddress({
  DATABASE_URL: url,
  DATA_DIR: dataDir,
  PARLEY_CACHE: cacheDir,
}: Config) {
  const stop = async () => undefined;
  if (url !== undefined) return { address: url, stop };
  const running = await runningDatabase(dataDir);
  if (running) return { address: running, stop };
  await prepareDataDir(dataDir);
  const embedded = await startEmbeddedPostgres({ dataDir, cacheDir });
  return { address: embedded.connection, stop: () => embedded.stop() };
}

/** Only gateways migrate: a command of another version must not change the database. */
async function requireThisVersion(db: Knex): Promise<void> {
  const missing = await missingMigrations(db);
  if (missing === 'all') {
    throw new AdminError(
      'There is no installation in DATA_DIR: run "npm start" once, or set DATA_DIR to the folder of an installation.',
    );
  }
  if (missing > 0) {
    throw new AdminError(
      'The database has the schema of an older version: run "npm start" of this version first.',
    );
  }
}
