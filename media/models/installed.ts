import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { matchingHash } from './hashes.js';
import type { Model } from './model.js';

const StampedFile = z.object({
  name: z.string(),
  bytes: z.int().nonnegative(),
  mtimeMs: z.number(),
  sha256: z.string(),
});

/** The hashes of a model's files. A file of the same size and modification time is not hashed again. */
const Stamp = z.object({ id: z.string(), files: z.array(StampedFile) });
export type Stamp = z.infer<typeof Stamp>;

/** The state of a model's folder. `file` is the first file that is missing or differs from the published one. */
export type FolderState =
  | { readonly type: 'installed'; readonly stamp: Stamp; readonly isNewlyHashed: boolean }
  | { readonly type: 'absent' }
  | { readonly type: 'incomplete'; readonly file: string }
  | { readonly type: 'corrupt'; readonly file: string };

/** Name of the stamp file in a model's cache folder. */
export const STAMP_NAME = '.installed.json';

/**
 * Checks whether `folder` has the model's files, by size, modification time and the hash in the stamp. Hashes
 * the files if there is no stamp or if `isThorough` is set.
 * @param options.stampFile - path of the stamp; it may not exist
 * @param options.isThorough - default: false
 */
export async function inspectFolder(
  model: Model,
  folder: string,
  options: { readonly stampFile: string; readonly isThorough?: boolean },
): Promise<FolderState> {
  const known = options.isThorough ? undefined : await readStamp(options.stampFile);
  const files: z.infer<typeof StampedFile>[] = [];
  let isNewlyHashed = false;
  for (const file of model.files) {
    const path = join(folder, file.name);
    const found = await stat(path).catch(() => undefined);
    if (!found?.isFile()) {
      return files.length === 0 && !(await exists(folder))
        ? { type: 'absent' }
        : { type: 'incomplete', file: file.name };
    }
    if (found.size !== file.bytes) return { type: 'corrupt', file: file.name };
    const { mtimeMs, size: bytes } = found;
    const stamped = known?.files.find(
      (entry) =>
        entry.name === file.name &&
        entry.bytes === bytes &&
        entry.mtimeMs === mtimeMs &&
        (file.sha256 ?? entry.sha256) === entry.sha256,
    );
    const sha256 = stamped?.sha256 ?? (await matchingHash(path, file));
    if (sha256 === undefined) return { type: 'corrupt', file: file.name };
    if (!stamped) isNewlyHashed = true;
    files.push({ name: file.name, bytes, mtimeMs, sha256 });
  }
  return { type: 'installed', stamp: { id: model.id, files }, isNewlyHashed };
}

/** Writes a stamp atomically. */
export async function writeStamp(stampFile: string, stamp: Stamp): Promise<void> {
  await mkdir(dirname(stampFile), { recursive: true });
  const temporary = `${stampFile}.${process.pid}.tmp`;
  await writeFile(temporary, `${JSON.stringify(stamp, undefined, 1)}\n`);
  await rename(temporary, stampFile);
}

/** Returns undefined if the file is absent or invalid; the model is then hashed again. */
async function readStamp(stampFile: string): Promise<Stamp | undefined> {
  const text = await readFile(stampFile, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return Stamp.parse(JSON.parse(text));
  } catch {
    // A partial write or another version.
    return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
