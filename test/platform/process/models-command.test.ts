import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fetchCommand,
  modelsCommand,
  pipAdvice,
} from '../../../src/platform/process/models-command.js';

describe('what people are told to type for models', () => {
  let clone: string;
  let image: string;

  beforeAll(async () => {
    [clone, image] = [
      await mkdtemp(join(tmpdir(), 'parley-clone-')),
      await mkdtemp(join(tmpdir(), 'parley-image-')),
    ];
    mkdirSync(join(clone, 'scripts'));
    writeFileSync(join(clone, 'scripts', 'launch.mjs'), '');
  });
  afterAll(() => {
    for (const folder of [clone, image]) rmSync(folder, { recursive: true });
  });

  it('is npm in a clone', () => {
    expect(modelsCommand('list', clone)).toBe('npm run models -- list');
    expect(fetchCommand('add de', clone)).toBe('npm run models -- add de');
    expect(pipAdvice(clone)).toContain('apt install python3-pip');
    // This very program runs in one.
    expect(fetchCommand('add de')).toBe('npm run models -- add de');
  });

  it('is neither npm nor pip in the image, which has none', () => {
    const told = [
      modelsCommand('list', image),
      fetchCommand('add de', image),
      pipAdvice(image),
    ] as const;
    expect(told[0]).toBe('node dist/tools/models/main.js list');
    expect(told[1]).toBe('docker run --rm --volume VOLUME:/models parley-models add de');
    for (const sentence of told) expect(sentence).not.toMatch(/npm|apt/);
    const top = new URL('../../../../', import.meta.url);
    expect(existsSync(fileURLToPath(new URL('dist/tools/models/main.js', top)))).toBe(true);
  });
});
