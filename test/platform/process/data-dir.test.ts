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

it('makes the folder, so that others may pass through it and see nothing', async () => {
  const path = join(folder, 'deep/data');
  await prepareDataDir(path);
  await prepareDataDir(path);
  expect(statSync(path).mode & 0o777).toBe(0o711);
});

it('says what to do when the path is a file, or leads through one', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  await expect(prepareDataDir(file)).rejects.toThrow(/the path is a file; set DATA_DIR/);
  await expect(prepareDataDir(join(file, 'data'))).rejects.toThrow(/a part of the path is a file/);
});
