import type { Knex } from 'knex';
import { StartError } from '../../config/start-error.js';
import { installJobSchema } from './job-queue-schema.js';
import type { Migration } from './migrations/migration.js';
import { MIGRATIONS } from './migrations/migration-list.js';

/** Arbitrary, but equal in all versions. */
const ADVISORY_LOCK = 7_274_539;
const TIMEOUT = '10min';

/**
 * Migrates the database to the schema of this version. All missing migrations run in one
 * transaction, so a kill leaves the old schema. Gateways that start together run one by one.
 * @throws {StartError} if the database cannot be reached or another version wrote it
 */
export async function migrate(db: Knex, migrations: readonly Migration[] = MIGRATIONS) {
  try {
    await db.transaction(async (transaction) => {
      await transaction.raw(`set local statement_timeout = '${TIMEOUT}'`);
      // This transaction is idle while the job queue creates its schema on another connection.
      await transaction.raw(`set local idle_in_transaction_session_timeout = '${TIMEOUT}'`);
      await transaction.raw('select pg_advisory_xact_lock(?)', [ADVISORY_LOCK]);
      await runMissing(transaction, migrations);
      // Outside the transaction, but under its lock.
      await installJobSchema(db);
    });
  } catch (error) {
    throw explainUnreachable(error) ?? error;
  }
}

/**
 * The number of migrations that the database lacks; `all` if it is empty.
 * @throws {StartError} if the database cannot be reached or another version wrote it
 */
export async function missingMigrations(
  db: Knex,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<number | 'all'> {
  try {
    if (!(await db.schema.hasTable('schema_migrations'))) return 'all';
    const applied = await appliedMigrations(db, migrations);
    return migrations.length - applied.size;
  } catch (error) {
    throw explainUnreachable(error) ?? error;
  }
}

async function appliedMigrations(db: Knex, migrations: readonly Migration[]) {
  const applied = new Set<string>(await db('schema_migrations').pluck('name'));
  const unknown = findUnknownMigration([...applied], migrations);
  if (!unknown) return applied;
  throw new StartError(
    unknown.isNewer
      ? `The database was written by a newer version of Parley (its schema has ${unknown.name}): start that version, or set DATA_DIR or DATABASE_URL to another database.`
      : `The database was written by a development version of Parley from before the first release (its schema has ${unknown.name}), and cannot be migrated: set DATA_DIR to a new folder or DATABASE_URL to a new database, or start that version.`,
  );
}

/**
 * The first migration in `applied` that this version does not have. As the list of migrations is
 * append-only, one with a higher number is of a newer version. Any other is from before the first
 * release, when the migrations were replaced by today's.
 */
export function findUnknownMigration(
  applied: readonly string[],
  migrations: readonly Migration[] = MIGRATIONS,
): { readonly name: string; readonly isNewer: boolean } | undefined {
  const known = migrations.map(({ name }) => name);
  const [name] = applied.filter((applied) => !known.includes(applied)).sort();
  return name === undefined ? undefined : { name, isNewer: name > (known.at(-1) ?? '') };
}

async function runMissing(transaction: Knex.Transaction, migrations: readonly Migration[]) {
  await transaction.raw(
    'create table if not exists schema_migrations (name text primary key, applied_at timestamptz not null default now())',
  );
  const applied = await appliedMigrations(transaction, migrations);
  for (const migration of migrations) {
    if (applied.has(migration.name)) continue;
    await migration.up(transaction);
    await transaction('schema_migrations').insert({ name: migration.name });
  }
}

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address',
  ENOENT: 'its socket does not exist',
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'the lookup of its host name failed',
  ETIMEDOUT: 'it does not respond',
  EHOSTUNREACH: 'its host is unreachable',
  ECONNRESET: 'it closed the connection',
  '28P01': 'it refuses the password',
  '28000': 'it refuses the user',
  '3D000': 'it has no database of that name',
  '42501': 'the user may not create tables there',
  '53300': 'it has no free connection',
  '57P03': 'it is still starting',
};

function explainUnreachable(error: unknown): StartError | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  const timedOut = /timeout (expired|acquiring)|does not support SSL/i.exec(error.message)?.[0];
  const reason = UNREACHABLE[code] ?? (timedOut && 'it does not respond like a PostgreSQL server');
  if (!reason) return undefined;
  return new StartError(
    `Cannot use the database: ${reason}; check DATABASE_URL, or unset it to use the embedded database.`,
    { cause: error },
  );
}
