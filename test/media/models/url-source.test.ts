import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Model } from '../../../media/models/model.js';
import { ModelStore } from '../../../media/models/store.js';
import { MODEL_ADVICE } from '../../../src/platform/process/models-command.js';
import { type FileServer, type ServerFault, serveFiles } from './file-server.js';
import { hashOf, sampleModel } from './sample-models.js';

const FILES = { 'voice.onnx': randomBytes(300_000), 'Köln.json': Buffer.from('{"a":1}') };
const GRAPH = FILES['voice.onnx'];

let server: FileServer;
let cacheDir: string;
let model: Model;

beforeEach(async () => {
  server = await serveFiles(FILES);
  cacheDir = await mkdtemp(join(tmpdir(), 'parley-models-'));
  model = sampleModel('sample', FILES, [{ type: 'url', base: server.base }]);
});

afterEach(async () => {
  await server.close();
  await rm(cacheDir, { recursive: true, force: true });
});

function store(models: readonly Model[] = [model]): ModelStore {
  return new ModelStore({ cacheDir, models, advice: MODEL_ADVICE });
}

async function ensureAfter(...faults: readonly ServerFault[]): Promise<string> {
  server.faults.push(...faults);
  return (await store().ensure(['sample'])).get('sample') ?? '';
}

describe('download by URL', () => {
  it('installs the files with their licence and leaves no partial files', async () => {
    const folder = await ensureAfter();
    expect(folder).toBe(join(cacheDir, 'sample'));
    expect((await readdir(folder)).sort()).toEqual(
      ['.installed.json', 'Köln.json', 'LICENCE', 'voice.onnx'].sort(),
    );
    expect(hashOf(await readFile(join(folder, 'voice.onnx')))).toBe(hashOf(GRAPH));
    expect(await readFile(join(folder, 'LICENCE'), 'utf8')).toContain('Permission is hereby');
    expect(await readdir(join(cacheDir, '.work'))).toEqual([]);
  });

  it('requests only the missing part after a lost connection', async () => {
    await ensureAfter('drop-midway');
    expect(server.log).toEqual([
      '/voice.onnx whole',
      expect.stringMatching(/^\/voice\.onnx bytes=1\d{5}-$/),
      '/K%C3%B6ln.json whole',
    ]);
  });

  it('continues in a later run after a cancelled one', async () => {
    server.faults.push('drop-midway', 'busy', 'busy', 'busy');
    const stop = new AbortController();
    const run = store().ensure(['sample'], { signal: stop.signal });
    const aborted = expect(run).rejects.toMatchObject({ code: 'ABORTED' });
    // Half of the file is on disk, and the server has nothing more for this run.
    await vi.waitUntil(() => server.log.length >= 2, { timeout: 20_000 });
    stop.abort();
    await aborted;
    server.faults.length = 0;
    expect(await store().locate('sample')).toBeUndefined();
    const before = server.log.length;
    const folder = await ensureAfter();
    expect(server.log[before]).toMatch(/^\/voice\.onnx bytes=\d+-$/);
    expect(hashOf(await readFile(join(folder, 'voice.onnx')))).toBe(hashOf(GRAPH));
  });

  it('starts again if the server ignores the range', async () => {
    const folder = await ensureAfter('drop-midway', 'ignore-range');
    expect(hashOf(await readFile(join(folder, 'voice.onnx')))).toBe(hashOf(GRAPH));
  });

  it('discards a file with a wrong hash and downloads it again', async () => {
    const folder = await ensureAfter('corrupt');
    expect(server.log.slice(0, 2)).toEqual(['/voice.onnx whole', '/voice.onnx whole']);
    expect(hashOf(await readFile(join(folder, 'voice.onnx')))).toBe(hashOf(GRAPH));
  });

  it('reads at most the published size', async () => {
    const folder = await ensureAfter('too-long');
    expect(hashOf(await readFile(join(folder, 'voice.onnx')))).toBe(hashOf(GRAPH));
  });

  it('completes a file that is one byte short', async () => {
    const folder = await ensureAfter('short');
    expect(server.log[1]).toBe(`/voice.onnx bytes=${GRAPH.length - 1}-`);
    expect(hashOf(await readFile(join(folder, 'voice.onnx')))).toBe(hashOf(GRAPH));
  });

  it('throws MODEL_CORRUPT with instructions if the content is always wrong', async () => {
    const run = ensureAfter('corrupt', 'corrupt', 'corrupt', 'corrupt');
    await expect(run).rejects.toMatchObject({
      code: 'MODEL_CORRUPT',
      message: expect.stringMatching(/^What 127\.0\.0\.1:\d+ sends for voice\.onnx .*bundle\.$/),
    });
    expect(await store().locate('sample')).toBeUndefined();
  });

  it('does not retry a file that the server does not have', async () => {
    const absent = sampleModel('sample', { 'absent.onnx': GRAPH }, model.sources);
    await expect(store([absent]).ensure(['sample'])).rejects.toMatchObject({
      code: 'DOWNLOAD_FAILED',
      message: expect.stringContaining('status 404'),
    });
    expect(server.log).toHaveLength(1);
  });

  it('checks an MD5 if no SHA-256 is published, and records the SHA-256', async () => {
    const md5 = createHash('md5').update(GRAPH).digest('hex');
    const file = { name: 'voice.onnx', bytes: GRAPH.length, md5 };
    const [entry] = await withFile(file).list();
    expect(entry?.state).toBe('absent');
    await withFile(file).ensure(['sample']);
    const [installed] = await withFile(file).list();
    expect(installed?.hashes).toEqual({ 'voice.onnx': hashOf(GRAPH) });
    await writeFile(join(cacheDir, 'sample', 'voice.onnx'), randomBytes(GRAPH.length));
    expect(await withFile(file).locate('sample')).toBeUndefined();
  });
});

function withFile(file: Model['files'][number]): ModelStore {
  return store([{ ...model, files: [file] }]);
}
