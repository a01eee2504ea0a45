import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The root folder of all caches, which lies outside the clone: PARLEY_CACHE. */
export function cacheRoot(environment: Environment): string {
  if (environment.PARLEY_CACHE) return resolve(environment.PARLEY_CACHE);
  return join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'parley');
}

/** The folder of a model bundle (MODELS_DIR) and of downloaded models (MODELS_CACHE). */
export function modelFolders(environment: Environment): {
  readonly modelsDir: string | undefined;
  readonly cacheDir: string;
} {
  const { MODELS_DIR, MODELS_CACHE } = environment;
  return {
    modelsDir: MODELS_DIR ? resolve(MODELS_DIR) : undefined,
    cacheDir: MODELS_CACHE ? resolve(MODELS_CACHE) : join(cacheRoot(environment), 'models'),
  };
}

/** The fault of MODELS_DIR, if any. Without this check, a mistyped folder would be ignored. */
export function modelsDirFault(environment: Environment): string | undefined {
  const { modelsDir } = modelFolders(environment);
  if (!modelsDir || statSync(modelsDir, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  return `MODELS_DIR must be the folder of an unpacked model bundle, but ${modelsDir} is not a folder`;
}
