import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page, WebSocketRoute } from 'playwright-core';
import type { ServerMessage } from '../../agents-runtime/transports/websocket/protocol.js';
import { wavHeader } from '../../media/codec/wav.js';
import { makeTestFolder } from './test-folder.js';

const RATE = 16_000;
/** Of the agent's audio: s16 at 24 kHz. */
export const BYTES_PER_MS = 48;
/** Below full scale: resampled speech may overshoot. */
const LEVEL = 24_000;

type Numbered = ServerMessage & { readonly seq: number };

/** What went over a page's call sockets, in order. */
export interface Wire {
  readonly messages: Numbered[];
  readonly played: number[];
  /** Bytes of the agent's audio. */
  audioBytes: number;
  microphoneBytes: number;
}

/** A WAV file for a browser's fake microphone: silence, then each clip (16 kHz) and a pause. */
export function microphoneFile(silenceMs: number, clips: readonly Float32Array[]): string {
  const pause = new Float32Array(RATE);
  const parts = [new Float32Array((RATE * silenceMs) / 1000), ...clips.flatMap((c) => [c, pause])];
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const file = Buffer.alloc(44 + 2 * length);
  wavHeader(RATE, file.length).copy(file);
  let at = 44;
  for (const part of parts) {
    for (const sample of part) at = file.writeInt16LE(Math.round(LEVEL * sample), at);
  }
  const path = join(makeTestFolder(), 'microphone.wav');
  writeFileSync(path, file);
  return path;
}

/** Opens the page with this key signed in; every fault that the browser tells is kept. */
export async function signedIn(browser: Browser, url: string, key: string) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(15_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  const wire = watchWire(page);
  await page.goto(url);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Talk' }).waitFor();
  return { page, faults, wire };
}

function watchWire(page: Page): Wire {
  const wire: Wire = { messages: [], played: [], audioBytes: 0, microphoneBytes: 0 };
  page.on('websocket', (socket) => {
    socket.on('framereceived', ({ payload }) => received(wire, payload));
    socket.on('framesent', ({ payload }) => sent(wire, payload));
  });
  return wire;
}

function received(wire: Wire, payload: string | Buffer): void {
  if (typeof payload !== 'string') {
    wire.audioBytes += payload.length;
    return;
  }
  const message = JSON.parse(payload) as Numbered;
  wire.messages.push(message);
  // What was on its way when a socket broke is sent again.
  if (message.type === 'ready') wire.audioBytes = message.positionMs * BYTES_PER_MS;
}

function sent(wire: Wire, payload: string | Buffer): void {
  if (typeof payload !== 'string') wire.microphoneBytes += payload.length;
  else if (payload.includes('"playout"')) wire.played.push(JSON.parse(payload).playedMs as number);
}

/** Stands between a page and the gateway: the test may break the socket, or speak as the gateway. */
export async function standBetween(page: Page) {
  const wire: Wire = { messages: [], played: [], audioBytes: 0, microphoneBytes: 0 };
  const sockets: { client: WebSocketRoute; gateway: WebSocketRoute }[] = [];
  await page.routeWebSocket(/\/socket$/, (client) => {
    const gateway = client.connectToServer();
    sockets.push({ client, gateway });
    client.onMessage((payload) => {
      sent(wire, payload);
      gateway.send(payload);
    });
    gateway.onMessage((payload) => {
      received(wire, payload);
      client.send(payload);
    });
  });
  return {
    wire,
    sockets,
    say(message: object): void {
      const seq = wire.messages.at(-1)?.seq;
      sockets.at(-1)?.client.send(JSON.stringify({ ...message, seq }));
    },
    async breakSocket(): Promise<void> {
      const { client, gateway } = sockets.at(-1)!;
      await Promise.all([client.close({ code: 3001 }), gateway.close({ code: 3001 })]);
    },
  };
}
