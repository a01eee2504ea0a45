import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * Where things are kept that outlive a clone: PARLEY_CACHE, else `parley` in the user's cache folder.
 * @param {NodeJS.ProcessEnv} [env]
 */
export function cacheRoot(env = process.env) {
  if (env.PARLEY_CACHE) return resolve(env.PARLEY_CACHE);
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'parley');
}

/** Where tools for tests and benchmarks are kept. */
export const toolsFolder = () => join(cacheRoot(), 'tools');
