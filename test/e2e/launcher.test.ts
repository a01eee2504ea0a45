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

/** Runs a gateway that exits because of its settings. */
function runGateway(settings: Readonly<Record<string, string>>): Promise<ProgramResult> {
  return runNode([MAIN], { cwd: tmpdir(), env: productEnv(settings) });
}

/** Expects one sentence without a stack trace. */
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

  it('prints its URL and the file of the first key, and stops gracefully on SIGTERM', async () => {
    // Without a terminal, even the first start must not print the key.
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

  it('starts again with the same key and without repeating the setup', async () => {
    const first = await start();
    await first.stop();
    const second = await start();
    await second.stop();
    expect(second.apiKey).toBe(first.apiKey);
    expect(second.logs()).not.toMatch(/Installing|Building|Fetching/);
  });

  it('reports in one sentence that models are missing and cannot be downloaded', async () => {
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

describe('failed start of a gateway', () => {
  let running: Product;
  beforeAll(async () => {
    running = await startProduct();
  });
  afterAll(() => running.stop());

  it('reports that another process uses its data folder', async () => {
    const ended = await runGateway({ PORT: '0', DATA_DIR: running.dataDir, LOG_LEVEL: 'silent' });
    expectOneSentence(ended, /^Another Parley \(process \d+\) uses this data folder .+: stop it/);
    await expect.poll(async () => (await fetch(`${running.url}/readyz`)).status).toBe(200);
  });

  it('reports an occupied port before loading models', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address ? String(address.port) : '';
    const dataDir = makeTestFolder();
    try {
      // If models were loaded first, the missing model cache would be reported instead.
      const settings = { PORT: port, DATA_DIR: dataDir, MODELS_CACHE: dataDir, MODELS_DIR: '' };
      const ended = await runGateway({ ...settings, LOG_LEVEL: 'silent' });
      expectOneSentence(ended, new RegExp(`${port}.+PORT`));
    } finally {
      other.close();
      await removeDataDir(dataDir);
    }
  });

  it('reports all invalid settings together', async () => {
    const ended = await runGateway({ PORT: '99999', CPU_PERMITS: 'many', PUBLIC_URL: 'nowhere' });
    expectOneSentence(ended, /PORT must be .+PUBLIC_URL must be .+CPU_PERMITS must be /);
  });
});
