import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { MediaError } from '../../../media/errors.js';
import {
  type ModelRecipe,
  preparedFile,
  preparedJson,
  prepareModel,
} from '../../../media/models/prepared-model.js';

let root: string;
let folder: string;
let file: string;
let runs = 0;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'parley-prepared-'));
  folder = join(root, '.prepared');
  file = join(root, 'model.onnx');
  writeFileSync(file, 'model');
  runs = 0;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Writes two files of a model: its bytes, and the same in reverse order. */
const REVERSE: ModelRecipe = {
  name: 'reverse',
  version: 1,
  prepare: (model) => {
    runs++;
    return new Map([
      ['same', model],
      ['reversed', model.toReversed()],
    ]);
  },
};

async function reversed(recipe = REVERSE, runtimeVersion = '1.0.0'): Promise<string> {
  const prepared = await prepareModel(file, recipe, { folder, runtimeVersion });
  return Buffer.from(preparedFile(prepared, 'reversed')).toString();
}

it('a model is prepared once and read afterwards', async () => {
  expect([await reversed(), await reversed(), await reversed()]).toEqual(Array(3).fill('ledom'));
  expect(runs).toBe(1);
  expect(readdirSync(folder)).toHaveLength(1);
});

it('concurrent processes prepare a model once', async () => {
  const all = await Promise.all([reversed(), reversed(), reversed()]);
  expect(all).toEqual(Array(3).fill('ledom'));
  expect(runs).toBe(1);
});

it('a model is prepared again for another file, recipe version or runtime', async () => {
  await reversed();
  await reversed({ ...REVERSE, version: 2 });
  await reversed(REVERSE, '1.0.1');
  expect(runs).toBe(3);
  writeFileSync(file, 'voice');
  expect(await reversed()).toBe('eciov');
  expect(runs).toBe(4);
});

it.each(['reversed', 'same', 'checksums.json'])(
  'a model is prepared again if %s is damaged',
  async (name) => {
    await reversed();
    const damaged = join(folder, readdirSync(folder)[0]!, name);
    const before = readFileSync(damaged);
    for (const content of [before.subarray(1), Buffer.alloc(before.length), Buffer.alloc(0)]) {
      writeFileSync(damaged, content);
      expect(await reversed()).toBe('ledom');
      expect(readFileSync(damaged).equals(before)).toBe(true);
    }
    rmSync(damaged);
    expect(await reversed()).toBe('ledom');
    expect(runs).toBe(5);
  },
);

it('a model is prepared in memory if nothing can be stored', async () => {
  folder = join(file, 'prepared');
  expect([await reversed(), await reversed()]).toEqual(['ledom', 'ledom']);
  expect(runs).toBe(2);
  expect(readdirSync(root)).toEqual(['model.onnx']);
});

it('a rejected model leaves no files behind', async () => {
  const refuse: ModelRecipe = {
    ...REVERSE,
    prepare: () => {
      throw new MediaError('MODEL_CORRUPT', 'No');
    },
  };
  await expect(reversed(refuse)).rejects.toMatchObject({ code: 'MODEL_CORRUPT' });
  expect(readdirSync(folder)).toEqual([]);
  await expect(
    prepareModel(join(root, 'none'), REVERSE, { folder, runtimeVersion: '1' }),
  ).rejects.toMatchObject({ code: 'MODEL_MISSING' });
});

it.each([
  ['absent', new Map<string, Uint8Array>()],
  ['no JSON', new Map([['split.json', Buffer.from('{')]])],
  ['of another form', new Map([['split.json', Buffer.from('{"features": 1}')]])],
])('a description is rejected if it is %s', (_, prepared) => {
  const schema = z.object({ features: z.string() });
  expect(() => preparedJson(prepared, 'split.json', schema)).toThrowError(
    expect.objectContaining({ code: 'MODEL_CORRUPT' }),
  );
});
