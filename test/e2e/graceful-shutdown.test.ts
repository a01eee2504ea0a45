import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isServerReady } from '../support/harness/process/embedded-server.js';
import { freePort } from '../support/harness/process/free-port.js';
import {
  MAIN,
  type Product,
  productEnv,
  removeDataDir,
  startProduct,
} from '../support/harness/process/product.js';
import { makeTestFolder } from '../support/harness/process/test-folder.js';

/** Takes far less than the drain time of ten seconds, even on a busy machine. */
const TEXT = 'This sentence is spoken while the gateway is told to stop. '.repeat(3);

function speak({ url, apiKey }: Product, body: object): Promise<Response> {
  return fetch(`${url}/api/v1/tts/speech/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

describe('gateway on SIGTERM', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = makeTestFolder();
  });
  afterEach(() => removeDataDir(dataDir));

  it('finishes its current speech request, accepts no new ones, and stops the database', async () => {
    const product = await startProduct({ dataDir });
    const response = await speak(product, { text: TEXT, audio_format: 'pcm' });
    const whole = response.arrayBuffer();
    const stopped = product.stop();
    const isRefused = () =>
      speak(product, { text: 'Too late.' }).then(
        () => false,
        () => true,
      );
    await expect.poll(isRefused).toBe(true);
    signal(product.pid); // a second signal changes nothing
    const seconds = (await whole).byteLength / 2 / 32_000;
    expect(seconds).toBeGreaterThan(5);
    expect(await stopped).toBe(0);
    expect(isServerReady(dataDir)).toBe(false);
  });

  it('stops the database if the signal arrives during the start', async () => {
    const gateway = spawn(process.execPath, [MAIN], {
      env: productEnv({ PORT: String(await freePort()), DATA_DIR: dataDir }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = outputOf(gateway);
    while (!existsSync(join(dataDir, 'postgres'))) await sleep(10); // it creates its database now
    gateway.kill('SIGTERM');
    const [code] = await once(gateway, 'exit');
    expect(code, output()).toBe(0);
    expect(isServerReady(dataDir)).toBe(false);
    expect(output()).not.toContain('Parley is ready');
  });
});

/** Sends SIGTERM once more unless the process has exited. */
function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    expect(error).toMatchObject({ code: 'ESRCH' });
  }
}

function outputOf(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  return () => text;
}
