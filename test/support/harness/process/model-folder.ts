import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder of a model that the launcher downloaded before the tests. */
export function modelFolder(id: string): string {
  const { MODELS_CACHE, PARLEY_CACHE } = process.env;
  const cache = PARLEY_CACHE ?? join(homedir(), '.cache', 'parley');
  return join(MODELS_CACHE ?? join(cache, 'models'), id);
}
