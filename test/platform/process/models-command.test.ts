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

describe('model commands in messages', () => {
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

  it('use npm in a clone of the repository', () => {
    expect(modelsCommand('list', clone)).toBe('npm run models -- list');
    expect(fetchCommand('add de', clone)).toBe('npm run models -- add de');
    expect(pipAdvice(clone)).toContain('apt install python3-pip');
    // The tests run in a clone.
    expect(fetchCommand('add de')).toBe('npm run models -- add de');
  });

  it('use neither npm nor pip in the container image, which has neither', () => {
    const messages = [
      modelsCommand('list', image),
      fetchCommand('add de', image),
      pipAdvice(image),
    ] as const;
    expect(messages[0]).toBe('node dist/tools/models/main.js list');
    expect(messages[1]).toBe('docker run --rm --volume VOLUME:/models parley-models add de');
    for (const sentence of messages) expect(sentence).not.toMatch(/npm|apt/);
    const top = new URL('../../../../', import.meta.url);
    expect(existsSync(fileURLToPath(new URL('dist/tools/models/main.js', top)))).toBe(true);
  });
});
