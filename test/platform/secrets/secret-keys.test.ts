import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadSecretKeys, SecretKeys } from '../../../src/platform/secrets/secret-keys.js';
import { makeTestFolder } from '../../support/harness/process/test-folder.js';

const folder = makeTestFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('installation secret', () => {
  it('is created once and readable by its owner only, even if several processes start concurrently', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => loadSecretKeys(folder)));
    const ids = made.map((keys) => keys.derive('at-rest')[0].id);
    expect(new Set(ids).size).toBe(1);
    const path = join(folder, 'secret-key');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readFile(path, 'utf8')).trim().length).toBe(43);
    expect(await readdir(folder)).toEqual(['secret-key']);
    expect((await loadSecretKeys(folder)).derive('at-rest')[0].id).toBe(ids[0]);
  });

  it('is the configured one if present, with the first in the list as current', async () => {
    const keys = await loadSecretKeys(
      folder,
      'the first of two secrets , the second of two secrets',
    );
    const [first, second] = keys.derive('at-rest');
    expect(first).toEqual(new SecretKeys(['the first of two secrets']).derive('at-rest')[0]);
    expect(second).toEqual(new SecretKeys(['the second of two secrets']).derive('at-rest')[0]);
  });

  it('gives every purpose a separate key', () => {
    const keys = new SecretKeys(['one secret of the service']);
    const ids = (['at-rest', 'json-web-tokens', 'call-tokens', 'signed-urls'] as const).map(
      (purpose) => keys.derive(purpose)[0].bytes.toString('hex'),
    );
    expect(new Set(ids).size).toBe(4);
  });

  it('is rejected if it is too short or missing', () => {
    expect(() => new SecretKeys(['short'])).toThrow(/16 characters/);
    expect(() => new SecretKeys([])).toThrow(RangeError);
  });
});
