import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { isFileError, MediaError } from '../errors.js';
import { findModel } from './catalogue.js';
import { explainFileError } from './file-errors.js';
import { matchingHash } from './hashes.js';
import { writeLicences } from './licences.js';
import type { Model } from './model.js';
import type { ModelStore } from './store.js';
import { extract, readZip, writeZip, type ZipEntry } from './zip.js';

/** Licence files of a model folder. Unpacking does not read them from the bundle but writes them again. */
const LICENCE_FILES = ['LICENCE', 'NOTICE'];

/**
 * Packs all installed models with their licences into one zip file for machines without internet access.
 * @param file - path of the new zip file
 * @returns the ids of the packed models
 * @throws MediaError INVALID_INPUT if the file exists, MODEL_MISSING if no model is installed, DISK_FULL
 */
export async function packBundle(modelStore: ModelStore, file: string): Promise<readonly string[]> {
  const members: { name: string; file: string }[] = [];
  const ids: string[] = [];
  for (const { model, folder } of await modelStore.list()) {
    if (!folder) continue;
    ids.push(model.id);
    for (const name of [...model.files.map((entry) => entry.name), ...LICENCE_FILES]) {
      const path = join(folder, name);
      if (await isFile(path)) members.push({ name: `${model.id}/${name}`, file: path });
    }
  }
  if (ids.length === 0) throw new MediaError('MODEL_MISSING', 'No model is installed.');
  const unfinished = `${file}.${process.pid}.tmp`;
  try {
    if (await isFile(file)) throw alreadyThere(file);
    await writeZip(unfinished, members);
    await rename(unfinished, file);
  } catch (error) {
    throw explainFileError(error, resolve(file));
  } finally {
    await rm(unfinished, { force: true });
  }
  return ids;
}

/**
 * Unpacks the models of a bundle into a folder for the setting MODELS_DIR and checks the hash of each file.
 * Entries that do not belong to a model of the catalogue are skipped.
 * @param file - path of the zip file
 * @returns the ids of the unpacked models
 * @throws MediaError INVALID_INPUT if there is no such file, MODEL_CORRUPT if the bundle is damaged or has no
 *   known model, DISK_FULL
 */
export async function unpackBundle(file: string, folder: string): Promise<readonly string[]> {
  const entries = await readZip(file).catch((error: unknown) => {
    if (!isFileError(error, 'ENOENT', 'EISDIR')) throw error;
    throw new MediaError('INVALID_INPUT', `The bundle ${file} does not exist.`, { cause: error });
  });
  const ids = new Set([...entries.keys()].map((name) => name.split('/')[0] ?? ''));
  const unpacked: string[] = [];
  try {
    for (const id of ids) {
      const model = findModel(id);
      if (!model) continue;
      await unpackModel(model, { file, entries }, join(folder, id));
      unpacked.push(id);
    }
  } catch (error) {
    throw explainFileError(error, resolve(folder));
  }
  if (unpacked.length === 0) {
    throw new MediaError('MODEL_CORRUPT', `${basename(file)} contains no model of this version.`);
  }
  return unpacked;
}

async function unpackModel(
  model: Model,
  bundle: { readonly file: string; readonly entries: ReadonlyMap<string, ZipEntry> },
  folder: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  // Names come from the catalogue, not from the archive, so no entry can be written outside of the folder.
  for (const wanted of model.files) {
    const entry = bundle.entries.get(`${model.id}/${wanted.name}`);
    const unfinished = join(folder, `${wanted.name}.tmp`);
    if (entry?.uncompressedSize === wanted.bytes) await extract(bundle.file, entry, unfinished);
    if (entry?.uncompressedSize !== wanted.bytes || !(await matchingHash(unfinished, wanted))) {
      await rm(unfinished, { force: true });
      throw new MediaError(
        'MODEL_CORRUPT',
        `${model.id}/${wanted.name} in the bundle differs from the published file: create or copy the bundle again.`,
      );
    }
    await rename(unfinished, join(folder, wanted.name));
  }
  await writeLicences(model, folder);
}

function alreadyThere(file: string): MediaError {
  return new MediaError('INVALID_INPUT', `${file} exists already: choose another name.`);
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}
