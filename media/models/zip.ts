import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type Entry, open, type ZipFile as Reader } from 'yauzl';
import { ZipFile as Writer } from 'yazl';
import { isFileError, MediaError } from '../errors.js';

export type { Entry as ZipEntry, ZipFile as ZipArchive } from 'yauzl';

/** Time of all entries: the first day of DOS time. Constant, so that bundles of the same models are equal. */
const NO_TIME = new Date(1980, 0, 1);
/** Maximum number of entries: more than any wheel or bundle has. */
const MAX_ENTRIES = 100_000;

/**
 * Returns the entries of a zip file by name.
 * @throws MediaError MODEL_CORRUPT if the zip file is damaged or incomplete
 */
export async function readZip(file: string): Promise<ReadonlyMap<string, Entry>> {
  return withArchive(file, entriesOf);
}

/** Returns the entries of an open archive by name. @throws Error for a damaged archive or too many entries */
export async function entriesOf(archive: Reader): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>();
  for await (const entry of archive.eachEntry()) {
    if (entries.size === MAX_ENTRIES) {
      throw new Error(`The zip archive has more than ${MAX_ENTRIES} entries`);
    }
    entries.set(entry.fileName, entry);
  }
  return entries;
}

/**
 * Writes an entry's content to a file.
 * @param archive - path of the zip file
 * @param to - path of the file to write
 * @throws MediaError MODEL_CORRUPT if the entry is damaged or its length differs from the stated one
 */
export async function extract(archive: string, entry: Entry, to: string): Promise<void> {
  await withArchive(archive, async (reader) =>
    pipeline(await reader.openReadStreamPromise(entry), createWriteStream(to)),
  );
}

/**
 * Writes files to a new zip archive.
 * @param archive - path; must not exist
 * @param files - name in the archive and path of each file
 */
export async function writeZip(
  archive: string,
  files: readonly { readonly name: string; readonly file: string }[],
): Promise<void> {
  const writer = new Writer();
  const options = { mtime: NO_TIME, forceDosTimestamp: true };
  for (const { name, file } of files) writer.addFile(file, name, options);
  const failed = new Promise<never>((_, reject) => {
    writer.once('error', reject);
  });
  writer.end();
  const written = pipeline(writer.outputStream, createWriteStream(archive, { flags: 'wx' }));
  await Promise.race([written, failed]);
}

/** Opens an archive for one use. Errors of the file system are passed on unchanged. */
async function withArchive<T>(file: string, use: (archive: Reader) => Promise<T>): Promise<T> {
  let archive: Reader | undefined;
  try {
    archive = await openArchive(file);
    return await use(archive);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw error;
    if (isFileError(error, 'ENOSPC', 'ENOENT', 'EISDIR')) throw error;
    throw new MediaError('MODEL_CORRUPT', 'The zip archive is damaged: create or copy it again.', {
      cause: error,
    });
  } finally {
    archive?.close();
  }
}

/** Opens an archive. The caller closes it. */
export function openArchive(file: string): Promise<Reader> {
  return new Promise((resolve, reject) => {
    open(file, { lazyEntries: true, autoClose: false }, (error, archive) => {
      if (error) reject(error);
      else resolve(archive);
    });
  });
}
