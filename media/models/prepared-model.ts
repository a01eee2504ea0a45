import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { MediaError } from '../errors.js';
import { withLock } from './folder-lock.js';
import { readModelFile } from './model-file.js';

/** SHA-256 of each file of an entry, by name. */
const Checksums = z.record(z.string(), z.string());

/** Files that a recipe made from a model file, by name. */
export type PreparedModel = ReadonlyMap<string, Uint8Array>;

/** A conversion of a model file whose result is stored, for example the splitting of its graph. */
export interface ModelRecipe {
  /** Part of a folder name. */
  readonly name: string;
  /** Increase it whenever the result changes. */
  readonly version: number;
  /**
   * @param model - content of the model file
   * @param workFolder - folder for temporary files; undefined if no folder can be written
   * @throws MediaError MODEL_CORRUPT
   */
  prepare(
    model: Uint8Array,
    workFolder: string | undefined,
  ): PreparedModel | Promise<PreparedModel>;
}

/** Folders of a model with a recipe. */
export interface PreparedModelFiles {
  /** Folder of the model. */
  readonly folder: string;
  /** Folder of prepared models; undefined prepares in memory. */
  readonly preparedFolder?: string | undefined;
}

/** Options of `prepareModel`. */
export interface PrepareOptions {
  /** Folder of the prepared models; undefined prepares in memory. */
  readonly folder: string | undefined;
  /** Version of the ONNX runtime; another version prepares the model again. */
  readonly runtimeVersion: string;
}

/** File of an entry with the SHA-256 of the others, as hex. */
const CHECKSUMS = 'checksums.json';

/**
 * Applies a recipe to a model file, or reads the stored result of an earlier run. The key of a result is the
 * file's hash and the versions of recipe and runtime. A damaged result is replaced. If the folder is not
 * writable, the result stays in memory.
 * @param file - path of the model file
 * @throws MediaError MODEL_MISSING, MODEL_CORRUPT
 */
export async function prepareModel(
  file: string,
  recipe: ModelRecipe,
  { folder, runtimeVersion }: PrepareOptions,
): Promise<PreparedModel> {
  const model = await readModelFile(file);
  if (folder === undefined) return recipe.prepare(model, undefined);
  const versions = `${recipe.name}-${recipe.version}-${runtimeVersion}`;
  const entry = join(folder, `${sha256(model).slice(0, 32)}-${versions}`);
  const stored = await readEntry(entry);
  if (stored) return stored;
  try {
    // Another thread or process may have prepared the model while this one waited.
    return await withLock(
      `${entry}.lock`,
      {},
      async () => (await readEntry(entry)) ?? (await writeEntry(entry, model, recipe)),
    );
  } catch {
    // Usually a full or read-only disk. If the model is faulty, this call throws the error again.
    return recipe.prepare(model, undefined);
  }
}

/** Returns a file of a prepared model. @throws MediaError MODEL_CORRUPT if there is no such file */
export function preparedFile(prepared: PreparedModel, name: string): Uint8Array {
  const content = prepared.get(name);
  if (content) return content;
  throw new MediaError('MODEL_CORRUPT', `The prepared model has no file ${name}`);
}

/** Reads a JSON file of a prepared model. @throws MediaError MODEL_CORRUPT if it is absent or invalid */
export function preparedJson<T>(prepared: PreparedModel, name: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(new TextDecoder().decode(preparedFile(prepared, name))));
  } catch (cause) {
    throw new MediaError('MODEL_CORRUPT', `The file ${name} of a prepared model is invalid`, {
      cause,
    });
  }
}

/** Returns undefined if the entry is absent or damaged. */
async function readEntry(entry: string): Promise<PreparedModel | undefined> {
  try {
    const checksums = Checksums.parse(JSON.parse(await readFile(join(entry, CHECKSUMS), 'utf8')));
    const files = new Map<string, Uint8Array>();
    for (const [name, checksum] of Object.entries(checksums)) {
      const content = await readFile(join(entry, name));
      if (sha256(content) !== checksum) return undefined;
      files.set(name, content);
    }
    return files;
  } catch {
    // A file is missing or is not JSON: the caller prepares the model again.
    return undefined;
  }
}

/** Writes an entry atomically: its folder gets its name when it is complete. */
async function writeEntry(
  entry: string,
  model: Uint8Array,
  recipe: ModelRecipe,
): Promise<PreparedModel> {
  const workFolder = `${entry}.part`;
  await rm(workFolder, { recursive: true, force: true });
  await mkdir(workFolder);
  try {
    const prepared = await recipe.prepare(model, workFolder);
    const checksums: z.infer<typeof Checksums> = {};
    for (const [name, content] of prepared) {
      checksums[name] = sha256(content);
      await writeFile(join(workFolder, name), content);
    }
    await writeFile(join(workFolder, CHECKSUMS), JSON.stringify(checksums));
    await rm(entry, { recursive: true, force: true });
    await rename(workFolder, entry);
    return prepared;
  } catch (error) {
    await rm(workFolder, { recursive: true, force: true });
    throw error;
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
