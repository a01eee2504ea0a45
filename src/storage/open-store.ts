import { join } from 'node:path';
import type { Config } from '../config.js';
import { LocalStore } from './local-store.js';
import type { ObjectStore } from './object-store.js';

/** The store that the settings name. */
export function openStore(config: Pick<Config, 'DATA_DIR' | 'STORAGE_DIR'>): Promise<ObjectStore> {
  return LocalStore.in(config.STORAGE_DIR ?? join(config.DATA_DIR, 'storage'));
}
