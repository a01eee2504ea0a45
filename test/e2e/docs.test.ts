import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Product, startProduct } from '../support/harness/process/product.js';
import { makeTestFolder } from '../support/harness/process/test-folder.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Code blocks marked `sh`. The blocks of a page run in one shell. */
const examplesOf = (page: string) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```sh\n(.*?)^```/gms)]
    .map(([, code]) => code)
    .join('\n');

const PAGES = [
  'README.md',
  ...readPages('docs/tutorials'),
  ...readPages('docs/how-to'),
  ...readPages('docs/reference'),
].filter((page) => examplesOf(page) !== '');

describe('documentation', () => {
  let product: Product;
  const folder = makeTestFolder();
  beforeAll(async () => {
    product = await startProduct({ env: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' } });
  });
  afterAll(async () => {
    await product.stop();
  });

  it('has runnable examples in the README, the tutorials and the reference', () => {
    expect(PAGES.length).toBeGreaterThanOrEqual(7);
  });

  it.each(PAGES)('%s has examples that run unchanged', (page) => {
    const env = { ...process.env, PARLEY_URL: product.url, PARLEY_KEY: product.apiKey };
    const shell = ['-euo', 'pipefail', '-c', examplesOf(page)];
    const output = execFileSync('bash', shell, { cwd: folder, env }).toString();
    if (page === 'README.md') {
      expect(statSync(join(folder, 'speech.mp3')).size).toBeGreaterThan(20_000);
    }
    if (page === 'docs/tutorials/first-agent.md') {
      expect(output).toMatch(/^deployed$/m);
      expect(output).toMatch(/"server_url":"ws:/);
    }
  });

  it('names only existing metrics in the reference, the dashboard and the alerts', async () => {
    const metrics = await (await fetch(`${product.url}/metrics`)).text();
    const names = new Set([...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!));
    const used = [
      'docs/reference/metrics.md',
      'deploy/monitoring/dashboard.json',
      'deploy/monitoring/alerts.yaml',
    ]
      .flatMap((file) => [...readFileSync(join(ROOT, file), 'utf8').matchAll(METRIC)])
      .map(([name]) => name.replace(/_bucket$/, ''));
    expect(used.length).toBeGreaterThan(20);
    expect([...new Set(used)].filter((name) => !names.has(name))).toEqual([]);
  });
});

const METRIC =
  /\b(?:calls|turns?|frame|dead|event|cpu|speech|call|workers|http|dropped|voice)_[a-z_]*(?:seconds|total|open|busy|waiting|admitted)(?:_total)?(?:_bucket)?\b/g;

function readPages(folder: string): string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
}
