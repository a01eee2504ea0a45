import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { matchingHash } from './hashes.js';
import type { Model } from './model.js';

/** What was hashed and how it looked then: a file of the same size and time is not hashed again. */
export interface Stamp {
  readonly id: string;
  readonly files: readonly StampedFile[];
}

interface StampedFile {
  readonly name: string;
  readonly bytes: number;
  readonly mtimeMs: number;
  readonly sha256: string;
}

/** What a folder holds of a model; `file` is the first one that is not the published one. */
export type FolderState =
  | { readonly type: 'installed'; readonly stamp: Stamp; readonly isNewlyHashed: boolean }
  | { readonly type: 'absent' }
  | { readonly type: 'incomplete'; readonly file: string }
  | { readonly type: 'corrupt'; readonly file: string };

/** Name of the stamp file in a model's cache folder. */
export const STAMP_NAME = '.installed.json';

/**
 * Looks whether `folder` holds the model's files: by size, time and the stamp's hash where there is
 * a stamp, by hashing where there is none or `isThorough` asks for it.
 */
export async function inspectFolder(
  model: Model,
  folder: string,
  options: { readonly stampFile: string; readonly isThorough?: boolean },
): Promise<FolderState> {
  const known = options.isThorough ? undefined : await readStamp(options.stampFile);
  const files: StampedFile[] = [];
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

/** Writes a stamp at once or not at all. */
export async function writeStamp(stampFile: string, stamp: Stamp): Promise<void> {
  await mkdir(dirname(stampFile), { recursive: true });
  const temporary = `${stampFile}.${process.pid}.tmp`;
  await writeFile(temporary, `${JSON.stringify(stamp, undefined, 1)}\n`);
  await rename(temporary, stampFile);
}

/** The stamp in a file; one that cannot be read counts as none, and the files are hashed again. */
async function readStamp(stampFile: string): Promise<Stamp | undefined> {
  const text = await readFile(stampFile, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const stamp = JSON.parse(text) as Stamp;
    return Array.isArray(stamp?.files) ? stamp : undefined;
  } catch {
    return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
