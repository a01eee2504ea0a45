import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page, type WebSocketRoute } from 'playwright-core';
import type { CallServerMessage } from '../../../../agents-runtime/transports/websocket/protocol.js';
import { wavHeader } from '../../../../media/codec/wav.js';

const RATE = 16_000;
/** Bytes per millisecond of the agent's audio: s16 at 24 kHz. */
export const BYTES_PER_MS = 48;
/** Below full scale, because resampled speech may overshoot. */
const LEVEL = 24_000;

/** A host name of this machine that browsers do not trust without TLS. */
export const INSECURE_HOST = 'insecure.test';

type Numbered = CallServerMessage & { readonly seq: number };

/** Traffic of a page's call sockets, in order. */
export interface SocketTraffic {
  readonly messages: Numbered[];
  readonly played: number[];
  /** Bytes of the agent's audio. */
  audioBytes: number;
  microphoneBytes: number;
}

export interface Clip {
  readonly atMs: number;
  /** 16 kHz samples. */
  readonly samples: Float32Array;
}

/** A WAV file for a browser's fake microphone. Playback starts when the microphone is opened. */
export function microphoneFile(folder: string, clips: readonly Clip[]): string {
  const last = clips.at(-1)!;
  const length = (last.atMs * RATE) / 1000 + last.samples.length + RATE;
  const file = Buffer.alloc(44 + 2 * length);
  wavHeader(RATE, file.length).copy(file);
  for (const { atMs, samples } of clips) {
    let at = 44 + (2 * atMs * RATE) / 1000;
    for (const sample of samples) at = file.writeInt16LE(Math.round(LEVEL * sample), at);
  }
  const path = join(folder, `microphone-${last.atMs}.wav`);
  writeFileSync(path, file);
  return path;
}

/** Launches a browser whose microphone plays a file once. Without a file there is no microphone. */
export function launchBrowser(executablePath: string, microphone?: string): Promise<Browser> {
  const args = [
    '--no-sandbox',
    '--autoplay-policy=no-user-gesture-required',
    `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`,
  ];
  if (microphone) {
    args.push(
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-audio-capture=${microphone}%noloop`,
    );
  }
  return chromium.launch({ executablePath, args });
}

/** Opens the page and signs in with the key; records page errors and console errors. */
export async function signedIn(browser: Browser, url: string, key: string) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(30_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  const traffic = watchTraffic(page);
  await page.goto(url);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Talk' }).waitFor();
  return { page, faults, traffic };
}

function watchTraffic(page: Page): SocketTraffic {
  const traffic: SocketTraffic = { messages: [], played: [], audioBytes: 0, microphoneBytes: 0 };
  page.on('websocket', (socket) => {
    socket.on('framereceived', ({ payload }) => received(traffic, payload));
    socket.on('framesent', ({ payload }) => sent(traffic, payload));
  });
  return traffic;
}

function received(traffic: SocketTraffic, payload: string | Buffer): void {
  if (typeof payload !== 'string') {
    traffic.audioBytes += payload.length;
    return;
  }
  const message = JSON.parse(payload) as Numbered;
  traffic.messages.push(message);
  // The server sends unreceived audio again after a reconnect.
  if (message.type === 'ready') traffic.audioBytes = message.positionMs * BYTES_PER_MS;
}

function sent(traffic: SocketTraffic, payload: string | Buffer): void {
  if (typeof payload !== 'string') traffic.microphoneBytes += payload.length;
  else if (payload.includes('"playout"'))
    traffic.played.push(JSON.parse(payload).playedMs as number);
}

/** Proxies a page's call socket, so that a test can break it or send messages as the gateway. */
export async function proxySocket(page: Page) {
  const traffic: SocketTraffic = { messages: [], played: [], audioBytes: 0, microphoneBytes: 0 };
  const sockets: { client: WebSocketRoute; gateway: WebSocketRoute }[] = [];
  await page.routeWebSocket(/\/socket$/, (client) => {
    const gateway = client.connectToServer();
    sockets.push({ client, gateway });
    client.onMessage((payload) => {
      sent(traffic, payload);
      gateway.send(payload);
    });
    gateway.onMessage((payload) => {
      received(traffic, payload);
      client.send(payload);
    });
  });
  return {
    traffic,
    sockets,
    say(message: object): void {
      const seq = traffic.messages.at(-1)?.seq;
      sockets.at(-1)?.client.send(JSON.stringify({ ...message, seq }));
    },
    async breakSocket(): Promise<void> {
      const { client, gateway } = sockets.at(-1)!;
      await Promise.all([client.close({ code: 3001 }), gateway.close({ code: 3001 })]);
    },
  };
}
