import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * The cache folder shared by all clones: PARLEY_CACHE, else `parley` in the user's cache folder.
 * @param {NodeJS.ProcessEnv} [env]
 */
export function cacheRoot(env = process.env) {
  if (env.PARLEY_CACHE) return resolve(env.PARLEY_CACHE);
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'parley');
}

/** The folder of tools for tests and benchmarks. */
export const toolsFolder = () => join(cacheRoot(), 'tools');
