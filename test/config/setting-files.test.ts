import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.js';

describe('setting in a file', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'parley-settings-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function fileWith(text: string | Buffer): string {
    const path = join(folder, 'setting');
    writeFileSync(path, text);
    return path;
  }

  it.each([
    'a-secret-of-many-letters',
    'a-secret-of-many-letters\n',
    'a-secret-of-many-letters\r\n',
  ])('is the content of the file without the final line break: %j', (text) => {
    const { SECRET_KEY } = readConfig({ SECRET_KEY_FILE: fileWith(text) });
    expect(SECRET_KEY).toBe('a-secret-of-many-letters');
  });

  it('is validated like any other and not printed', () => {
    const read = () => readConfig({ SECRET_KEY_FILE: fileWith('hunter2'), PORT: 'x' });
    expect(read).toThrow(/PORT must be .+; SECRET_KEY must be one secret of at least 16 char/);
    expect(read).not.toThrow(/hunter2/);
  });

  it('may be any setting, including a model folder', () => {
    expect(readConfig({ MODELS_CACHE_FILE: fileWith('/models\n') }).MODELS_CACHE).toBe('/models');
  });

  it('is unset by an empty file name', () => {
    expect(readConfig({ DATABASE_URL_FILE: '' }).DATABASE_URL).toBeUndefined();
  });

  it.each([
    ['is not there', () => '/no/such/file', /S3_BUCKET_FILE must be a file of at most 64 KiB/],
    ['is a folder', () => folder, /S3_BUCKET_FILE must be a file of at most 64 KiB/],
    ['is too large', () => fileWith(Buffer.alloc(65_537, 'a')), /S3_BUCKET_FILE must be a file/],
    [
      'is empty',
      () => fileWith('\n'),
      /S3_BUCKET_FILE must be a file with the value, but it is empty/,
    ],
  ])('prevents the start if the file %s', (_what, path, expected) => {
    expect(() => readConfig({ S3_BUCKET_FILE: path() })).toThrow(expected);
  });

  it('is rejected in combination with a direct value', () => {
    const both = { S3_BUCKET: 'calls', S3_BUCKET_FILE: fileWith('others') };
    expect(() => readConfig(both)).toThrow(/S3_BUCKET and S3_BUCKET_FILE exclude each other/);
  });
});
