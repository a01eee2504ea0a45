import { Logger, runMigrations } from 'graphile-worker';
import type { Knex } from 'knex';
import { poolBeside } from './connect.js';

/** The queue's tables and functions live apart from ours. */
export const JOB_SCHEMA = 'graphile_worker';

/** Makes or updates the queue's own schema; whoever adds jobs needs it. Idempotent. */
export async function installJobSchema(db: Knex): Promise<void> {
  const pgPool = poolBeside(db, 1, () => undefined); // the migration fails by itself
  try {
    await runMigrations({ pgPool, schema: JOB_SCHEMA, logger: new Logger(() => () => undefined) });
  } finally {
    await pgPool.end();
  }
}
