import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const { packagesAreCurrent, installSentence } = (await import(
  new URL('../../../scripts/packages.mjs', import.meta.url).href
)) as {
  packagesAreCurrent(root: string): boolean;
  installSentence(output: string): string;
};

const WANTED = {
  '': { version: '0.1.0' },
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/b-linux': { version: '1.0.0', integrity: 'sha512-b', optional: true },
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'parley-packages-'));
  mkdirSync(join(root, 'node_modules'));
  writeLock('package-lock.json', WANTED);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function writeLock(path: string, packages: object): void {
  writeFileSync(join(root, path), JSON.stringify({ packages }));
}
const install = (packages: object) => writeLock('node_modules/.package-lock.json', packages);

describe('installed packages', () => {
  it('are current if each has the version and the hash of the lock', () => {
    install({ 'node_modules/a': WANTED['node_modules/a'] });
    expect(packagesAreCurrent(root)).toBe(true);
  });

  it.each([
    ['nothing was installed to the end', undefined],
    ['one is missing', {}],
    ['one has another version', { 'node_modules/a': { version: '1.0.1', integrity: 'sha512-a' } }],
    ['one has another hash', { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-c' } }],
  ])('are not current when %s', (_, packages) => {
    if (packages) install(packages);
    expect(packagesAreCurrent(root)).toBe(false);
  });
});

describe('failed install', () => {
  it.each([
    ['npm error code ENOTFOUND\nnpm error network', /^Cannot download the packages \(ENOTFOUND\)/],
    [
      'npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write',
      /^The disk is full: free/,
    ],
    ['npm error code EINTEGRITY', /\(npm ci: EINTEGRITY\): run `npm ci` to see why/],
    ['spawn npm ENOENT', /^There is no npm on the PATH: install npm/],
  ])('is reported in one sentence: %j', (output, sentence) => {
    expect(installSentence(output)).toMatch(sentence);
    expect(installSentence(output)).not.toContain('\n');
  });
});
