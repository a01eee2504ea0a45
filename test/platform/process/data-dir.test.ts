import { statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { prepareDataDir } from '../../../src/platform/process/data-dir.js';
import { makeTestFolder } from '../../support/harness/process/test-folder.js';

let folder: string;
beforeAll(() => {
  folder = makeTestFolder();
});
afterAll(() => rm(folder, { recursive: true }));

it('the folder is created so that others can traverse but not list it', async () => {
  const path = join(folder, 'deep/data');
  await prepareDataDir(path);
  await prepareDataDir(path);
  expect(statSync(path).mode & 0o777).toBe(0o711);
});

it('a path that is a file, or contains one, is rejected with instructions', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  await expect(prepareDataDir(file)).rejects.toThrow(/the path is a file; set DATA_DIR/);
  await expect(prepareDataDir(join(file, 'data'))).rejects.toThrow(/a part of the path is a file/);
});
