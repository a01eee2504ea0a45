import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Speaker, Spoken } from './speaker.js';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const START_LIMIT_MS = 90_000;
const BASE_RATE = 32_000;
const BYTES_PER_SAMPLE = 2;

/** Parameters of the gateway's speech requests. */
export interface SpokenWith {
  /** Default: the default voice. */
  readonly voice?: string;
  /** Sample rate in Hz. Default: the base rate. */
  readonly sampleRate?: number;
}

/** The built product in a new folder on a free port, with one CPU permit. */
export interface RunningGateway {
  readonly url: string;
  readonly pid: number;
  readonly key: string;
  close(): Promise<void>;
}

export interface GatewayOptions {
  /** Arguments of Node. Default: the product. */
  readonly program?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export async function startGateway({
  program = [MAIN],
  env = {},
}: GatewayOptions = {}): Promise<RunningGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  const port = await freePort();
  const child = spawn(process.execPath, [...program], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: folder,
      CPU_PERMITS: '1',
      LOG_LEVEL: 'warn',
      ...env,
    },
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-4000);
  });
  const url = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error(`The gateway ended: ${stderr}`);
    if (performance.now() - startedAt > START_LIMIT_MS) {
      child.kill('SIGKILL');
      throw new Error(`The gateway did not become ready: ${stderr}`);
    }
    await sleep(100);
  }
  return {
    url,
    pid: child.pid ?? 0,
    key: (await readFile(join(folder, 'api-key'), 'utf8')).trim(),
    close: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The gateway as a speaker, over HTTP on loopback. First audio is the first byte of PCM. */
export function gatewaySpeaker(gateway: RunningGateway, how: SpokenWith = {}): Speaker {
  return {
    name: 'parley',
    speak: (text) => speakOverHttp(gateway, text, how),
    close: () => gateway.close(),
  };
}

async function speakOverHttp(
  gateway: RunningGateway,
  text: string,
  { voice, sampleRate = BASE_RATE }: SpokenWith,
): Promise<Spoken> {
  const startedAt = performance.now();
  const response = await fetch(`${gateway.url}/api/v1/tts/speech/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text, audio_format: `pcm_${sampleRate}`, voice_id: voice }),
  });
  if (!response.ok || !response.body) {
    throw new Error(`Status ${response.status}: ${(await response.text()).slice(0, 300)}`);
  }
  let firstAudioMs: number | undefined;
  let bytes = 0;
  for await (const chunk of response.body) {
    firstAudioMs ??= performance.now() - startedAt;
    bytes += chunk.length;
  }
  const totalMs = performance.now() - startedAt;
  if (firstAudioMs === undefined) throw new Error('The gateway sent no audio');
  return { firstAudioMs, totalMs, audioSeconds: bytes / BYTES_PER_SAMPLE / sampleRate };
}

export async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`).catch(() => undefined);
  await response?.body?.cancel();
  return response?.ok ?? false;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port is free');
  return address.port;
}
