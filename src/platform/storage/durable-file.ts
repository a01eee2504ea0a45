import { randomBytes } from 'node:crypto';
import { link, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file with mode 0600 atomically: after a crash it has the old or the new content. The content
 * is on the disk when this resolves.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const draft = await writeDraft(path, text);
  await rename(draft, path);
  await syncFolder(dirname(path));
}

/** Like `writePrivateFile`, but keeps an existing file. */
export async function createOnce(path: string, text: string): Promise<void> {
  const draft = await writeDraft(path, text);
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
  await syncFolder(dirname(path));
}

async function writeDraft(path: string, text: string): Promise<string> {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  return draft;
}

/** Flushes a folder: otherwise a power failure can lose the names of new files. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } catch (error) {
    // Windows cannot flush a folder and does not need it.
    if (process.platform !== 'win32') throw error;
  } finally {
    await folder.close();
  }
}
