import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { entriesOf, openArchive, type ZipArchive, type ZipEntry } from '../../media/models/zip.js';
import { forgetSecrets } from '../../src/features/agents/secret-rotation.js';
import { migrate } from '../../src/platform/db/migrate.js';
import { MIGRATIONS } from '../../src/platform/db/migrations/migration-list.js';
import { AdminError } from './admin-error.js';
import {
  MANIFEST_FILE,
  type Manifest,
  readManifest,
  SECRET_FILE,
  tableFile,
} from './backup-manifest.js';
import { advanceCounters, copiedTables, copyTarget } from './backup-tables.js';

const MAX_SMALL_FILE_BYTES = 1_000_000;

export interface RestoreOptions {
  readonly file: string;
  /**
   * Decides about the backup's encrypted secrets before anything is written. May throw.
   * @param secretKey - SECRET_KEY in the backup, if any
   */
  decide(manifest: Manifest, secretKey: string | undefined): Promise<'keep' | 'forget'>;
}

export interface Restored {
  readonly manifest: Manifest;
  /** Number of agents that lost their secrets. */
  readonly agentsWithoutSecrets: number;
}

/**
 * Fills an empty database from a backup and migrates it to this version. One transaction inserts all
 * rows, so a kill leaves the database empty.
 * @throws AdminError if the file is no complete backup or the database is not empty
 */
export async function restore(db: Knex, { file, decide }: RestoreOptions): Promise<Restored> {
  const archive = await openArchive(file).catch((error: unknown) => fail(explain(error, file)));
  try {
    const entries = await entriesOf(archive).catch((error: unknown) => fail(damaged(error)));
    const manifest = readManifest(await readSmall(archive, requireEntry(entries, MANIFEST_FILE)));
    const secret = entries.get(SECRET_FILE);
    const fate = await decide(manifest, secret && (await readSmall(archive, secret)));
    await requireEmpty(db, manifest);
    const ofBackup = MIGRATIONS.filter(({ name }) => manifest.migrations.includes(name));
    await migrate(db, ofBackup);
    const agentsWithoutSecrets = await db.transaction(async (transaction) => {
      await fill(transaction, archive, entries, manifest);
      return fate === 'forget' ? forgetSecrets(transaction) : 0;
    });
    await migrate(db);
    return { manifest, agentsWithoutSecrets };
  } finally {
    archive.close();
  }
}

async function fill(
  transaction: Knex.Transaction,
  archive: ZipArchive,
  entries: ReadonlyMap<string, ZipEntry>,
  { tables }: Manifest,
): Promise<void> {
  await transaction.raw('set local statement_timeout = 0');
  await transaction.raw('set local idle_in_transaction_session_timeout = 0');
  const client: Client = await transaction.client.acquireConnection();
  for (const table of tables) {
    const rows = await archive.openReadStreamPromise(requireEntry(entries, tableFile(table.name)));
    await pipeline(rows, client.query(copyFrom(`copy ${copyTarget(table)} from stdin`)));
  }
  await advanceCounters(transaction, tables);
}

async function requireEmpty(db: Knex, manifest: Manifest): Promise<void> {
  if (!(await db.schema.hasTable('schema_migrations'))) return;
  const applied: string[] = await db('schema_migrations').pluck('name');
  let isEmpty = applied.every((name) => manifest.migrations.includes(name));
  for (const { name } of isEmpty ? await copiedTables(db) : []) {
    isEmpty &&= (await db(name).first(db.raw('1'))) === undefined;
  }
  if (isEmpty) return;
  throw new AdminError(
    'The database is not empty, and but a backup can be restored only into an empty database: set DATA_DIR to a new folder (or DATABASE_URL to a new database).',
  );
}

function requireEntry(entries: ReadonlyMap<string, ZipEntry>, name: string): ZipEntry {
  return entries.get(name) ?? fail(damaged(new Error(`it lacks ${name}`)));
}

async function readSmall(archive: ZipArchive, entry: ZipEntry): Promise<string> {
  if (entry.uncompressedSize > MAX_SMALL_FILE_BYTES)
    throw damaged(new Error('a file is too large'));
  return (await buffer(await archive.openReadStreamPromise(entry))).toString('utf8');
}

function explain(error: unknown, file: string): AdminError {
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  return isMissing ? new AdminError(`The file ${file} does not exist.`) : damaged(error);
}

function damaged(cause: unknown): AdminError {
  return new AdminError(
    'The file is not a complete backup: copy it again, or use another backup.',
    { cause },
  );
}

function fail(error: Error): never {
  throw error;
}
