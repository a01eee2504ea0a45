import { randomUUID } from 'node:crypto';
import { createReadStream, type Dirent } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { syncFolder } from './durable-file.js';
import { type ByteRange, type ObjectStore, StorageError } from './object-store.js';

/** Prefix of incomplete files. No key has it. */
const DRAFT = '~draft-';

/** Stores objects as files in a folder, which several gateways may share. */
export class LocalStore implements ObjectStore {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates the folder with mode 0700. */
  static async in(folder: string): Promise<LocalStore> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new LocalStore(folder);
  }

  pathOf(key: string): string {
    return join(this.#folder, key);
  }

  /** Flushes the file before it gets its name, so that a crash leaves the old or the new object. */
  async putFile(key: string, path: string): Promise<void> {
    const target = this.pathOf(key);
    const folder = dirname(target);
    const draft = join(folder, `${DRAFT}${randomUUID()}`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // A hard link is free. On another disk, the file is copied.
      await link(path, draft).catch(() => copyFile(path, draft));
      await synced(draft);
      await rename(draft, target);
      await syncFolder(folder);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      throw faultOf(error);
    }
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    if ((await this.size(key)) === undefined) throw noSuchObject();
    return createReadStream(this.pathOf(key), range);
  }

  async size(key: string): Promise<number | undefined> {
    try {
      return (await stat(this.pathOf(key))).size;
    } catch (error) {
      const fault = faultOf(error);
      if (fault.code === 'NO_SUCH_OBJECT') return undefined;
      throw fault;
    }
  }

  async delete(key: string): Promise<void> {
    try {
      await rm(this.pathOf(key), { force: true });
    } catch (error) {
      throw faultOf(error);
    }
  }

  /** @param prefix - ends with a slash, or is the full name of a folder */
  async *list(prefix: string): AsyncIterable<string> {
    const folder = prefix.replace(/[^/]*$/, '');
    for (const entry of await entriesOf(this.pathOf(folder))) {
      const key = folder + entry.name;
      if (entry.isDirectory()) {
        if (key.startsWith(prefix) || prefix.startsWith(`${key}/`)) yield* this.list(`${key}/`);
      } else if (key.startsWith(prefix) && !entry.name.startsWith(DRAFT)) yield key;
    }
  }
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const fault = faultOf(error);
    if (fault.code === 'NO_SUCH_OBJECT') return [];
    throw fault;
  }
}

async function synced(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function noSuchObject(): StorageError {
  return new StorageError('NO_SUCH_OBJECT', 'The object does not exist in the storage');
}

function faultOf(error: unknown): StorageError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return noSuchObject();
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new StorageError('STORAGE_FULL', 'The disk of the storage is full', { cause: error });
  }
  return new StorageError('STORAGE_AWAY', 'The storage is unavailable', { cause: error });
}
