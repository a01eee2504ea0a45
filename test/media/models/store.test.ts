import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Model } from '../../../media/models/model.js';
import { ModelStore } from '../../../media/models/store.js';
import { MODEL_ADVICE } from '../../../src/platform/process/models-command.js';
import { type FileServer, serveFiles } from './file-server.js';
import { hashOf, sampleModel } from './sample-models.js';

const FILES = { 'a.onnx': randomBytes(200_000), 'b.json': Buffer.from('{}') };

let server: FileServer;
let folder: string;
let cacheDir: string;
let model: Model;

beforeEach(async () => {
  server = await serveFiles(FILES);
  folder = await mkdtemp(join(tmpdir(), 'parley-store-'));
  cacheDir = join(folder, 'cache');
  model = sampleModel('sample', FILES, [{ type: 'url', base: server.base }]);
});

afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

function store(options: { modelsDir?: string; cacheDir?: string } = {}): ModelStore {
  return new ModelStore({ cacheDir, models: [model], ...options, advice: MODEL_ADVICE });
}

async function putByHand(into: string, files: Readonly<Record<string, Buffer>> = FILES) {
  await mkdir(join(into, 'sample'), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(into, 'sample', name), content);
  }
}

describe('installed models', () => {
  it('include files copied by hand, which get a stamp and the licence', async () => {
    await putByHand(cacheDir);
    expect(await store().locate('sample')).toBe(join(cacheDir, 'sample'));
    expect((await readdir(join(cacheDir, 'sample'))).sort()).toEqual(
      ['.installed.json', 'LICENCE', 'a.onnx', 'b.json'].sort(),
    );
    expect(server.log).toEqual([]);
  });

  it('are checked by size and time at the next start, and hashed again if the time has changed', async () => {
    await putByHand(cacheDir);
    const file = join(cacheDir, 'sample', 'a.onnx');
    const mtime = new Date(1_700_000_000_000);
    await utimes(file, mtime, mtime);
    await store().locate('sample');
    await writeFile(file, randomBytes(200_000));
    await utimes(file, mtime, mtime);
    // The fast check cannot detect this; `verify` can.
    expect(await store().locate('sample')).toBeDefined();
    expect((await store().verify())[0]).toMatchObject({ state: 'corrupt', faultyFile: file });
    const later = new Date(mtime.getTime() + 5000);
    await utimes(file, later, later);
    expect(await store().locate('sample')).toBeUndefined();
  });

  it.each(['{', '{"files": [{}]}', '{"id": "sample", "files": [{"name": "a.onnx"}]}'])(
    'are hashed again if the stamp is %s',
    async (stamp) => {
      await putByHand(cacheDir);
      const stampFile = join(cacheDir, 'sample', '.installed.json');
      await writeFile(stampFile, stamp);
      expect(await store().locate('sample')).toBe(join(cacheDir, 'sample'));
      expect(JSON.parse(await readFile(stampFile, 'utf8'))).toMatchObject({
        id: 'sample',
        files: [{ name: 'a.onnx', sha256: hashOf(FILES['a.onnx']) }, { name: 'b.json' }],
      });
    },
  );

  it('are downloaded again if they are damaged', async () => {
    await putByHand(cacheDir, { 'a.onnx': FILES['a.onnx'].subarray(1), 'b.json': FILES['b.json'] });
    expect((await store().list())[0]?.state).toBe('corrupt');
    await store().ensure(['sample']);
    expect(hashOf(await readFile(join(cacheDir, 'sample', 'a.onnx')))).toBe(
      hashOf(FILES['a.onnx']),
    );
    expect((await store().verify())[0]?.state).toBe('installed');
  });

  it('are looked up in MODELS_DIR first, without writing there', async () => {
    const modelsDir = join(folder, 'bundle');
    await putByHand(modelsDir);
    await putByHand(cacheDir);
    expect(await store({ modelsDir }).locate('sample')).toBe(join(modelsDir, 'sample'));
    expect((await readdir(join(modelsDir, 'sample'))).sort()).toEqual(['a.onnx', 'b.json']);
    expect(await readdir(modelsDir)).toEqual(['sample']);
  });

  it('are read from the cache if the bundle is damaged', async () => {
    const modelsDir = join(folder, 'bundle');
    await putByHand(modelsDir, { 'a.onnx': randomBytes(200_000) });
    await putByHand(cacheDir);
    expect(await store({ modelsDir }).locate('sample')).toBe(join(cacheDir, 'sample'));
  });

  it('throw MODEL_MISSING with the download command if they are missing', async () => {
    await expect(store().require('sample')).rejects.toMatchObject({
      code: 'MODEL_MISSING',
      message: expect.stringContaining('npm run models -- fetch sample'),
    });
    const ofDefaults = new ModelStore({
      cacheDir,
      models: [{ ...model, isDefault: true }],
      advice: MODEL_ADVICE,
    });
    await expect(ofDefaults.require('sample')).rejects.toMatchObject({
      message: expect.stringContaining('npm run models -- ensure'),
    });
  });

  it('are downloaded together with the models that they require', async () => {
    const second: Model = { ...model, id: 'second', requires: 'sample' };
    const both = new ModelStore({ cacheDir, models: [model, second], advice: MODEL_ADVICE });
    expect((await both.missing(['second'])).map(({ id }) => id)).toEqual(['sample', 'second']);
    await both.ensure(['second']);
    expect(await both.missing(['second', 'sample'])).toEqual([]);
  });

  it('replace the existing folder on an install', async () => {
    await putByHand(cacheDir, { 'stray.txt': Buffer.from('old') });
    await store().ensure(['sample']);
    expect(await readdir(join(cacheDir, 'sample'))).not.toContain('stray.txt');
  });

  it('are still recognised after the cache was moved', async () => {
    await store().ensure(['sample']);
    const moved = join(folder, 'moved');
    await rename(cacheDir, moved);
    expect(await store({ cacheDir: moved }).locate('sample')).toBe(join(moved, 'sample'));
  });
});

describe('unwritable disk', () => {
  it('throws DISK_FULL with instructions, and the download continues when there is space', async ({
    skip,
  }) => {
    const small = join(folder, 'small');
    await mkdir(small);
    const refusal = mountSmall(small);
    if (refusal) return skip(`it cannot run: ${refusal}`);
    try {
      const run = store({ cacheDir: small }).ensure(['sample']);
      await expect(run).rejects.toMatchObject({
        code: 'DISK_FULL',
        message: `The disk that holds ${small} is full: free some space, or set MODELS_CACHE to a folder on another disk, then run the same command again.`,
      });
      execFileSync('mount', ['-o', 'remount,size=2m', small]);
      await store({ cacheDir: small }).ensure(['sample']);
      expect(server.log[1]).toMatch(/^\/a\.onnx bytes=\d+-$/);
    } finally {
      execFileSync('umount', [small]);
    }
  });

  it('reports a cache that cannot be written', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    await chmod(file, 0o400);
    await expect(store({ cacheDir: join(file, 'cache') }).ensure(['sample'])).rejects.toMatchObject(
      {
        code: 'DOWNLOAD_FAILED',
        message: expect.stringContaining(
          'cannot be written: make it writable, or set MODELS_CACHE',
        ),
      },
    );
  });
});

/** Mounts a file system of 120 kB. @returns the reason if that is impossible */
function mountSmall(at: string): string | undefined {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=120k', 'tmpfs', at], { stdio: 'pipe' });
    return undefined;
  } catch {
    return 'a small file system can be mounted as root on Linux only';
  }
}
