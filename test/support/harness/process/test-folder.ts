import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheRoot } from '../../../../src/config/model-folders.js';

/** The product's cache folder, kept between runs. */
export const CACHE = cacheRoot(process.env);

/** A new folder that the unprivileged user of root's database can also enter. */
export function makeTestFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  chmodSync(folder, 0o711);
  return folder;
}
