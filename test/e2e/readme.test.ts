import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Product, startProduct } from '../support/harness/process/product.js';
import { makeTestFolder } from '../support/harness/process/test-folder.js';

const README = readFileSync(fileURLToPath(new URL('../../../README.md', import.meta.url)), 'utf8');
/** Blocks marked `sh` are meant to be typed as they stand. */
const EXAMPLES = [...README.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code]) => code!);

describe('the README', () => {
  let product: Product;
  const folder = makeTestFolder();
  beforeAll(async () => {
    product = await startProduct();
  });
  afterAll(async () => {
    await product.stop();
  });

  it('has examples that run as they stand', () => {
    const env = { ...process.env, PARLEY_URL: product.url, PARLEY_KEY: product.apiKey };
    const outputs = EXAMPLES.map((code) =>
      execFileSync('bash', ['-euo', 'pipefail', '-c', code], { cwd: folder, env }).toString(),
    );
    expect(outputs.length).toBeGreaterThanOrEqual(2);
    expect(statSync(join(folder, 'speech.mp3')).size).toBeGreaterThan(20_000);
    expect(outputs.join('\n')).toMatch(/"status":"deployed"/);
    expect(outputs.join('\n')).toMatch(/"server_url":"ws:/);
  });
});
