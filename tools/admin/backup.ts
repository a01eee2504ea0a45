import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type { PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { ZipFile } from 'yazl';
import { findSealKeyIds } from '../../src/features/agents/secret-rotation.js';
import { createPgPool } from '../../src/platform/db/connect.js';
import { syncFolder } from '../../src/platform/storage/durable-file.js';
import { AdminError } from './admin-error.js';
import { FORMAT, MANIFEST_FILE, type Manifest, SECRET_FILE, tableFile } from './backup-manifest.js';
import { copiedTables, copyTarget } from './backup-tables.js';

export interface BackupOptions {
  readonly file: string;
  /** SECRET_KEY, to include in the backup. Default: none; encrypted values then need it to restore. */
  readonly secretKey?: string | undefined;
}

/**
 * Writes a snapshot of the whole database to a zip file (mode 0600). Gateways may run during the backup.
 * @throws AdminError if the file exists
 */
export async function backUp(db: Knex, { file, secretKey }: BackupOptions): Promise<Manifest> {
  await reserve(file);
  const draft = `${file}.${process.pid}.partial`;
  const pool = createPgPool(db, 1, () => undefined); // the copy rejects with the error
  try {
    const manifest = await describe(db);
    const client = await pool.connect();
    try {
      await writeArchive(draft, client, manifest, secretKey);
    } finally {
      client.release(true);
    }
    await rename(draft, file);
    await syncFolder(dirname(file));
    return manifest;
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await rm(draft, { force: true });
    await pool.end();
  }
}

/** Creates an empty file of that name, so that two backups cannot overwrite each other. */
async function reserve(file: string): Promise<void> {
  try {
    await (await open(file, 'wx', 0o600)).close();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new AdminError(`${file} exists already: use another name.`);
    if (code === 'ENOENT')
      throw new AdminError(`The folder of ${file} does not exist: create it first.`);
    throw error;
  }
}

async function describe(db: Knex): Promise<Manifest> {
  return {
    format: FORMAT,
    made_at: new Date().toISOString(),
    migrations: await db('schema_migrations').orderBy('name').pluck('name'),
    tables: (await copiedTables(db)).map(({ name, columns }) => ({ name, columns: [...columns] })),
    seal_key_ids: [...(await findSealKeyIds(db))],
  };
}

async function writeArchive(
  draft: string,
  client: PoolClient,
  manifest: Manifest,
  secretKey: string | undefined,
): Promise<void> {
  // One snapshot of all tables, without a time limit.
  await client.query('begin isolation level repeatable read read only');
  await client.query('set local statement_timeout = 0');
  await client.query('set local idle_in_transaction_session_timeout = 0');
  const archive = new ZipFile();
  const failed = new Promise<never>((_, reject) => archive.once('error', reject));
  for (const table of manifest.tables) {
    // Lazy: one connection copies one table at a time.
    archive.addReadStreamLazy(tableFile(table.name), (use) => {
      const rows = client.query(copyTo(`copy ${copyTarget(table)} to stdout`));
      rows.once('error', (error) => archive.emit('error', error));
      use(null, rows);
    });
  }
  if (secretKey) archive.addBuffer(Buffer.from(secretKey), SECRET_FILE);
  archive.addBuffer(Buffer.from(JSON.stringify(manifest, null, 2)), MANIFEST_FILE);
  archive.end();
  const output = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
  await Promise.race([pipeline(archive.outputStream, output), failed]);
  await client.query('commit');
}
