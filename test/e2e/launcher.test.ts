import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  LAUNCHER,
  MAIN,
  type Product,
  productEnv,
  removeDataDir,
  startProduct,
} from '../support/harness/process/product.js';
import { type ProgramResult, runNode } from '../support/harness/process/run-node.js';
import { makeTestFolder } from '../support/harness/process/test-folder.js';

/** Runs the gateway with settings that let it end by itself. */
function runGateway(settings: Readonly<Record<string, string>>): Promise<ProgramResult> {
  return runNode([MAIN], { cwd: tmpdir(), env: productEnv(settings) });
}

/** One sentence, with no trace of where in the program it was thrown. */
function expectOneSentence({ code, output }: ProgramResult, sentence: RegExp): void {
  expect(output.trim()).toMatch(sentence);
  expect(output.trim().split('\n')).toHaveLength(1);
  expect(output).not.toMatch(/\n\s+at /);
  expect(code).not.toBe(0);
}

describe('npm start', () => {
  let dataDir: string;
  beforeAll(() => {
    dataDir = makeTestFolder();
  });
  afterAll(() => removeDataDir(dataDir));

  const start = (folder = dataDir) =>
    startProduct({ dataDir: folder, program: [LAUNCHER, 'start'] });

  it('prints its address and the file of the first key, and leaves in order on SIGTERM', async () => {
    // A key could be shown at the first start alone, and here is no terminal.
    const fresh = makeTestFolder();
    try {
      const product = await start(fresh);
      const { url, apiKey, logs } = product;
      expect(await product.stop()).toBe(0);
      expect(logs()).toContain(url);
      expect(logs()).toContain(`API key: see ${join(fresh, 'api-key')}`);
      expect(logs()).not.toContain(apiKey);
    } finally {
      await removeDataDir(fresh);
    }
  });

  it('does nothing over again the second time, and keeps the key', async () => {
    const first = await start();
    await first.stop();
    const second = await start();
    await second.stop();
    expect(second.apiKey).toBe(first.apiKey);
    expect(second.logs()).not.toMatch(/Installing|Building|Fetching/);
  });

  it('says in one sentence that models are missing and cannot be fetched', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'parley-no-models-'));
    const nowhere = 'http://127.0.0.1:1';
    try {
      const env = productEnv({
        DATA_DIR: dataDir,
        MODELS_CACHE: empty,
        MODELS_DIR: '',
        PIP_INDEX_URL: `${nowhere}/simple`,
        PIP_FIND_LINKS: '',
        PIP_CONFIG_FILE: '/dev/null',
        PIP_RETRIES: '0',
        HTTP_PROXY: nowhere,
        HTTPS_PROXY: nowhere,
        https_proxy: nowhere,
      });
      const ended = await runNode([LAUNCHER, 'start'], { cwd: tmpdir(), env });
      expect(ended.code).not.toBe(0);
      expect(ended.output).not.toMatch(/\n\s+at /);
      const lastLine = ended.output.trim().split('\n').at(-1);
      expect(lastLine).toMatch(/MODELS_DIR|network|pip|source/);
    } finally {
      rmSync(empty, { recursive: true, force: true });
    }
  });
});

describe('a gateway that cannot start', () => {
  let running: Product;
  beforeAll(async () => {
    running = await startProduct();
  });
  afterAll(() => running.stop());

  it('says that another one holds its data folder', async () => {
    const ended = await runGateway({ PORT: '0', DATA_DIR: running.dataDir, LOG_LEVEL: 'silent' });
    expectOneSentence(ended, /^Another Parley \(process \d+\) uses this data folder .+: stop it/);
    await expect.poll(async () => (await fetch(`${running.url}/readyz`)).status).toBe(200);
  });

  it('says that its port is busy, before it has loaded models', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address ? String(address.port) : '';
    const dataDir = makeTestFolder();
    try {
      // A cache without models would be told of first, were they opened first.
      const settings = { PORT: port, DATA_DIR: dataDir, MODELS_CACHE: dataDir, MODELS_DIR: '' };
      const ended = await runGateway({ ...settings, LOG_LEVEL: 'silent' });
      expectOneSentence(ended, new RegExp(`${port}.+PORT`));
    } finally {
      other.close();
      await removeDataDir(dataDir);
    }
  });

  it('tells all wrong settings together', async () => {
    const ended = await runGateway({ PORT: '99999', CPU_PERMITS: 'many', PUBLIC_URL: 'nowhere' });
    expectOneSentence(ended, /PORT must be .+PUBLIC_URL must be .+CPU_PERMITS must be /);
  });
});
