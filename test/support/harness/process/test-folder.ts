import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheRoot } from '../../../../src/config/model-folders.js';

/** What can be kept between runs, where the product keeps it too. */
export const CACHE = cacheRoot(process.env);

/** A folder that root's database, which runs as another user, gets into as well. */
export function makeTestFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  chmodSync(folder, 0o711);
  return folder;
}
