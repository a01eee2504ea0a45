import { Logger, runMigrations } from 'graphile-worker';
import type { Knex } from 'knex';
import { createPgPool } from './connect.js';

/** PostgreSQL schema with the tables and functions of the job queue. */
export const JOB_SCHEMA = 'graphile_worker';

/** Creates or updates the schema of the job queue. Idempotent. */
export async function installJobSchema(db: Knex): Promise<void> {
  const pgPool = createPgPool(db, 1, () => undefined); // the migration rejects with the error
  try {
    await runMigrations({ pgPool, schema: JOB_SCHEMA, logger: new Logger(() => () => undefined) });
  } finally {
    await pgPool.end();
  }
}
