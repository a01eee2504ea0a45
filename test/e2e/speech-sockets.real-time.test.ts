import { createHash } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SpeechSocket } from '../support/harness/call/speech-socket.js';
import { type Product, startProduct } from '../support/harness/process/product.js';

const TEXT =
  'Our office opens at nine in the morning and closes at six. You can reach us by phone or by ' +
  'mail on every day but Sunday. ';
const LONG_TEXT = TEXT.repeat(30);
/** Bytes per millisecond of `pcm_16000`. */
const BYTES_PER_MS = 32;

let product: Product;
beforeAll(async () => {
  product = await startProduct({ env: { REQUESTS_PER_MINUTE: '0' } });
});
afterAll(() => product?.stop());

const open = (path: string) => SpeechSocket.open(product.url, path, product.apiKey);

const hashOf = (audio: Buffer) => createHash('sha256').update(audio).digest('hex');

async function pcmOf(body: object): Promise<Buffer> {
  const response = await fetch(`${product.url}/api/v1/tts/speech/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${product.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, audio_format: 'pcm_16000' }),
  });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

const post = async (text: string) => hashOf(await pcmOf({ text }));

async function single(text: string, more: object = {}): Promise<SpeechSocket> {
  const client = await open('stream');
  client.send({ text, audio_format: 'pcm_16000', flush: true, ...more });
  expect((await client.closed).code).toBe(1000);
  return client;
}

it('32 concurrent texts over requests, sockets and contexts give the same bytes as single ones', async () => {
  const alone = await post(TEXT);
  const multi = await open('multi-stream');
  multi.send({ audio_format: 'pcm_16000', context_id: '0' });
  for (let i = 0; i < 12; i++) {
    multi.send({ context_id: String(i), text: TEXT, flush: true, close_context: true });
  }
  const [requests, sockets] = await Promise.all([
    Promise.all(Array.from({ length: 10 }, () => post(TEXT))),
    Promise.all(Array.from({ length: 10 }, () => single(TEXT))),
  ]);
  await expect.poll(() => multi.controlMessages.length, { timeout: 60_000 }).toBe(24);
  multi.send({ close_socket: true });
  expect((await multi.closed).code).toBe(1000);
  const all = [
    ...requests,
    ...sockets.map((client) => hashOf(client.audio())),
    ...Array.from({ length: 12 }, (_, i) => hashOf(multi.audio(String(i)))),
  ];
  expect(all).toEqual(Array.from({ length: 32 }, () => alone));
});

it('32 concurrent texts of three engines are all spoken completely', async () => {
  const kinds = [
    { text: TEXT },
    { text: 'Our office opens at nine.', voice_id: 'piper-joe' },
    { text: 'Unser Büro öffnet um neun und schließt um sechs.', language: 'de' },
    { text: 'Наш офис открывается в девять утра.', language: 'ru' },
  ];
  const alone = await Promise.all(kinds.map(pcmOf));
  const all = await Promise.all(Array.from({ length: 32 }, (_, i) => pcmOf(kinds[i % 4]!)));
  for (const [i, { length }] of all.entries()) {
    // The duration of the formant engine's output varies by some milliseconds.
    expect(Math.abs(length / alone[i % 4]!.length - 1)).toBeLessThan(i % 4 < 2 ? 1e-9 : 0.05);
  }
});

it('a short text starts long before the long texts of other clients end', async () => {
  const ends: number[] = [];
  const longs = Array.from({ length: 4 }, async () => {
    await single(LONG_TEXT);
    ends.push(performance.now());
  });
  const startedAt = performance.now();
  const short = await single('Good morning.');
  const firstMs = short.arrivalTimes[0]! - startedAt;
  await Promise.all(longs);
  expect(firstMs).toBeLessThan((Math.min(...ends) - startedAt) / 3);
});

it('a text is paced while other clients read as fast as possible', async () => {
  const longs = Array.from({ length: 4 }, () => single(LONG_TEXT));
  const stalls = monitorEventLoopDelay({ resolution: 10 });
  stalls.enable();
  const paced = await single(TEXT, { delivery_mode: 'paced' });
  stalls.disable();
  let receivedMs = 0;
  let underrunMs = 0;
  for (const [index, { audio }] of paced.messages.entries()) {
    const atMs = paced.arrivalTimes[index]! - paced.arrivalTimes[0]!;
    underrunMs = Math.max(underrunMs, atMs - receivedMs);
    receivedMs += (audio?.length ?? 0) / BYTES_PER_MS;
  }
  expect(paced.arrivalTimes.at(-1)! - paced.arrivalTimes[0]!).toBeGreaterThan(receivedMs * 0.9);
  // A stall of the machine also stalls this process.
  expect(underrunMs).toBeLessThan(2_000 + 2 * (stalls.max / 1e6));
  await Promise.all(longs);
});

it('a request stops when the client disconnects', async () => {
  const client = await open('stream');
  client.send({ text: LONG_TEXT, flush: true });
  await expect.poll(() => client.audio().length, { timeout: 60_000 }).toBeGreaterThan(0);
  client.socket.terminate();
  const streams = async () => {
    const text = await (await fetch(`${product.url}/metrics`)).text();
    return /^speech_streams_open (\d+)/m.exec(text)?.[1];
  };
  await expect.poll(streams, { timeout: 60_000 }).toBe('0');
  expect(product.logs()).not.toMatch(/MaxListeners|unhandled|"level":[56]0/i);
});
