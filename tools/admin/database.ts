import type { Knex } from 'knex';
import { pino } from 'pino';
import type { Config } from '../../src/config/config.js';
import { connect } from '../../src/platform/db/connect.js';
import {
  runningDatabase,
  startEmbeddedPostgres,
} from '../../src/platform/db/embedded/embedded-postgres.js';
import { missingMigrations } from '../../src/platform/db/migrate.js';
import { prepareDataDir } from '../../src/platform/process/data-dir.js';
import { AdminError } from './admin-error.js';

/** Whether a command may meet a database that no gateway has started on yet. */
export interface AdminDatabaseOptions {
  readonly mayBeEmpty?: boolean;
}

/**
 * Opens the installation's database for one command: the configured one, the embedded one of a
 * gateway that runs, or else the embedded one itself for as long as `use` takes.
 * @throws AdminError, StartError with a sentence that says what to do
 */
export async function withAdminDatabase<T>(
  config: Config,
  use: (db: Knex) => Promise<T>,
  { mayBeEmpty = false }: AdminDatabaseOptions = {},
): Promise<T> {
  const { address, stop } = await reach(config);
  const db = connect(address, { poolMax: 2 });
  try {
    if (!mayBeEmpty) await requireThisVersion(db);
    return await use(db);
  } finally {
    await db.destroy();
    await stop();
  }
}

async function reach({ DATABASE_URL: url, DATA_DIR: dataDir, PARLEY_CACHE: cacheDir }: Config) {
  const stop = async () => undefined;
  if (url !== undefined) return { address: url, stop };
  const running = await runningDatabase(dataDir);
  if (running) return { address: running, stop };
  await prepareDataDir(dataDir);
  const log = pino({ level: 'silent' });
  const embedded = await startEmbeddedPostgres({ dataDir, cacheDir, log });
  return { address: embedded.connection, stop: () => embedded.stop() };
}

/** The schema is the gateways' to change: a command of another version keeps its hands off. */
async function requireThisVersion(db: Knex): Promise<void> {
  const missing = await missingMigrations(db);
  if (missing === 'all') {
    throw new AdminError(
      'There is no installation here yet: run "npm start" once, or set DATA_DIR.',
    );
  }
  if (missing > 0) {
    throw new AdminError('The database is an older version’s: run "npm start" of this one first.');
  }
}
