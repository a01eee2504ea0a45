import { connect, type Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toFloat32 } from '../../media/audio/pcm.js';
import { likenessDb } from '../support/harness/audio/tones.js';
import { type Product, startProduct } from '../support/harness/process/product.js';

const TEXT =
  'Our office opens at nine in the morning and closes at six. You can reach us by phone or by ' +
  'mail on every day but Sunday. Please have your order number at hand when you call.';
const LONG_TEXT = `${TEXT} `.repeat(25);
const SHORTER_TEXT = `${TEXT} `.repeat(6);
const WAV_HEADER = 44;
/** Bytes per millisecond of PCM at 32 kHz. */
const BYTES_PER_MS = 64;

let product: Product;
beforeAll(async () => {
  // On a busy machine, aborted requests keep their quota slots for a while.
  const env = {
    REQUESTS_PER_MINUTE: '0',
    CONCURRENT_SPEECH: '0',
    CONCURRENT_SPEECH_PER_ACCOUNT: '0',
  };
  product = await startProduct({ env });
});
afterAll(() => product?.stop());

function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  return fetch(`${product.url}/api/v1/tts/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${product.apiKey}`, 'content-type': 'application/json' },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
}

async function bytesOf(response: Promise<Response>): Promise<Buffer> {
  const { status, ...rest } = await response.then(async (answer) => ({
    status: answer.status,
    bytes: Buffer.from(await answer.arrayBuffer()),
  }));
  expect(status).toBe(200);
  return rest.bytes;
}

function samplesOf(pcm: Buffer): Float32Array {
  const samples = new Float32Array(pcm.length / 2);
  toFloat32(new Int16Array(new Uint8Array(pcm).buffer), samples);
  return samples;
}

/** The value of a metric, summed over its labels. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${product.url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => new RegExp(`^${name}(\\{| )`).test(line));
  expect(lines.length).toBeGreaterThan(0);
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Resources in use: encoder streams, CPU permits, jobs that wait for a permit. */
const underWay = async () => [
  await metric('speech_streams_open'),
  await metric('cpu_permits_busy'),
  await metric('cpu_permits_waiting'),
];
const nothingIsUnderWay = () => expect.poll(underWay, { timeout: 60_000 }).toEqual([0, 0, 0]);

describe('streamed speech', () => {
  it('equals the complete file within −60 dB', async () => {
    const body = { text: TEXT, audio_format: 'wav' };
    const stream = (await bytesOf(post('speech/stream', body))).subarray(WAV_HEADER);
    const whole = await bytesOf(post('speech', body));
    expect(whole.readUInt32LE(40)).toBe(whole.length - WAV_HEADER);
    expect(stream.length).toBe(whole.length - WAV_HEADER);
    const wanted = samplesOf(whole.subarray(WAV_HEADER));
    expect(likenessDb(wanted, samplesOf(stream))).toBeGreaterThan(60);
  });

  it.each(['mp3', 'opus_48000_32', 'pcm'])(
    'has the same bytes for any read pattern: %s',
    async (format) => {
      const body = { text: TEXT, audio_format: format };
      const wanted = await bytesOf(post('speech/stream', body));
      const response = await post('speech/stream', body);
      const chunks: Uint8Array[] = [];
      for await (const chunk of response.body!) {
        chunks.push(chunk);
        if (chunks.length % 3 === 0) await sleep(20);
      }
      expect(Buffer.concat(chunks).equals(wanted)).toBe(true);
    },
  );

  it('starts long before it ends', async () => {
    await bytesOf(post('speech/stream', { text: TEXT }));
    const startedAt = performance.now();
    const response = await post('speech/stream', { text: SHORTER_TEXT });
    const firstMs = performance.now() - startedAt;
    await response.arrayBuffer();
    expect(firstMs).toBeLessThan((performance.now() - startedAt) / 5);
    expect(Number(response.headers.get('x-first-audio-ms'))).toBeLessThanOrEqual(firstMs);
  });
});

describe('16 concurrent streams', () => {
  interface StreamTiming {
    readonly bytes: Buffer;
    /** Longest time by which playback would have preceded the received audio, in milliseconds. */
    readonly lateMs: number;
  }

  async function listen(): Promise<StreamTiming> {
    const response = await post('speech/stream', { text: TEXT, audio_format: 'pcm' });
    const chunks: Uint8Array[] = [];
    let length = 0;
    let startedAt: number | undefined;
    let lateMs = 0;
    for await (const chunk of response.body!) {
      startedAt ??= performance.now();
      lateMs = Math.max(lateMs, performance.now() - startedAt - length / BYTES_PER_MS);
      chunks.push(chunk);
      length += chunk.length;
    }
    return { bytes: Buffer.concat(chunks), lateMs };
  }

  it('finish at a similar time without running out of audio', async () => {
    const alone = await listen();
    const before = await metric('process_cpu_seconds_total');
    const stalls = monitorEventLoopDelay({ resolution: 10 });
    stalls.enable();
    const startedAt = performance.now();
    const timings = await Promise.all(Array.from({ length: 16 }, listen));
    stalls.disable();
    const tookS = (performance.now() - startedAt) / 1000;
    const workS = (await metric('process_cpu_seconds_total')) - before;
    for (const { bytes } of timings) expect(bytes.equals(alone.bytes)).toBe(true);
    await nothingIsUnderWay();
    // The first chunks of all streams have priority over later ones, which may delay a stream's
    // second chunk.
    const limitMs = 1_500 + 1_000 * Math.max(0, tookS - workS) + 2 * (stalls.max / 1e6);
    // Excludes CPU time used by other processes and stalls of this process.
    expect(Math.max(...timings.map(({ lateMs }) => lateMs))).toBeLessThan(limitMs);
  });
});

describe('200 aborted requests', () => {
  it('leave no job, listener or memory behind', async () => {
    const breakOff = async (index: number) => {
      const abort = new AbortController();
      const path = index % 4 === 3 ? 'speech' : 'speech/stream';
      const format = index % 2 === 0 ? 'mp3' : 'opus_48000_64';
      const answer = post(path, { text: LONG_TEXT, audio_format: format }, abort.signal).then(
        (response) => response.arrayBuffer(),
      );
      setTimeout(() => abort.abort(), (index * 7) % 200);
      await expect(answer).rejects.toThrow();
    };
    const breakOffAll = async (count: number) => {
      for (let done = 0; done < count; done += 10) {
        await Promise.all(Array.from({ length: 10 }, (_, i) => breakOff(done + i)));
      }
      await nothingIsUnderWay();
    };
    await breakOffAll(60);
    const memory = await metric('process_resident_memory_bytes');
    const handles = await metric('nodejs_active_resources_total');
    await breakOffAll(200);
    // The last sockets close with a delay.
    const grownMb = async () => ((await metric('process_resident_memory_bytes')) - memory) / 1e6;
    await expect.poll(grownMb).toBeLessThan(60);
    const resources = () => metric('nodejs_active_resources_total');
    await expect.poll(resources).toBeLessThan(handles + 10);
    expect(product.logs()).not.toMatch(/MaxListeners|unhandled|"level":[56]0/i);
    await bytesOf(post('speech/stream', { text: TEXT }));
  });
});

describe('client that stops reading', () => {
  it('stops only its own synthesis', async () => {
    const sockets = Array.from({ length: 4 }, () => halfHearted());
    await expect.poll(() => metric('speech_streams_open'), { timeout: 60_000 }).toBe(4);
    // With full sockets no job runs: the four streams wait without a permit.
    await expect
      .poll(async () => (await underWay()).slice(1), { timeout: 60_000, interval: 500 })
      .toEqual([0, 0]);
    await bytesOf(post('speech/stream', { text: 'Others are served.' }));
    expect(await metric('speech_streams_open')).toBe(4);
    for (const socket of sockets) socket.destroy();
    await nothingIsUnderWay();
  });

  function halfHearted(): Socket {
    const body = JSON.stringify({ text: LONG_TEXT, audio_format: 'pcm_48000' });
    const socket = connect(Number(new URL(product.url).port), '127.0.0.1');
    socket.on('error', () => undefined); // the server may close the connection
    socket.pause();
    socket.write(
      `POST /api/v1/tts/speech/stream HTTP/1.1\r\nHost: x\r\n` +
        `Authorization: Bearer ${product.apiKey}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    return socket;
  }
});

describe('unusual input', () => {
  it.each([
    ['one emoji', '😀'],
    ['other scripts', 'Привет 世界 مرحبا नमस्ते'],
    ['control characters', 'a\u0000\u0001\u0007\u001b[2Jb\u007f\u0085\u2028'],
    ['an open markup', '[SPELL:'],
    ['4,999 combining marks', `e${'\u0301'.repeat(4_999)}`],
    ['1,000 digits', '7'.repeat(1_000)],
    ['5,000 full stops', '.'.repeat(5_000)],
    ['one word of 1,000 letters', 'x'.repeat(1_000)],
  ])('returns speech or silence for %s', async (_, text) => {
    const file = await bytesOf(post('speech', { text, audio_format: 'wav' }));
    expect(file.length).toBeGreaterThan(WAV_HEADER);
    await nothingIsUnderWay();
  });

  it('spells marked text', async () => {
    const spelt = await bytesOf(post('speech', { text: '[SPELL:ABC]', audio_format: 'pcm' }));
    const said = await bytesOf(post('speech', { text: 'abc', audio_format: 'pcm' }));
    expect(spelt.equals(said)).toBe(false);
  });

  it.each([
    ['5,001 characters', { text: 'x'.repeat(5_001) }, 400, 'TEXT_TOO_LONG'],
    ['100,000 combining marks', { text: `e${'\u0301'.repeat(100_000)}` }, 400, 'TEXT_TOO_LONG'],
    ['a body of 5 MB', { text: 'x'.repeat(5_000_000) }, 413, 'PAYLOAD_TOO_LARGE'],
    ['an unknown voice', { text: 'x', voice_id: 'nobody' }, 404, 'VOICE_NOT_FOUND'],
    ['no dictionary', { text: 'x', dictionary_id: 'none' }, 404, 'DICTIONARY_NOT_FOUND'],
    [
      'a model that does not know the language',
      { text: 'x', language: 'es', model: 'svc-tts-v1-latest' },
      400,
      'MODEL_LANGUAGE_MISMATCH',
    ],
    [
      'a voice that does not know it',
      { text: 'x', language: 'es', voice_id: 'hibari-heart' },
      400,
      'VOICE_LANGUAGE_MISMATCH',
    ],
  ])('is rejected: %s', async (_, body, status, code) => {
    const response = await post('speech/stream', body);
    expect([response.status, await response.json()]).toMatchObject([status, { code }]);
  });

  it.each([
    ['a lone surrogate', '{"text":"\\ud800"}', 'string_unicode'],
    ['a blank', '{"text":" \\n "}', 'value_error'],
    ['invalid UTF-8', Buffer.from('{"text":"\xff"}', 'latin1'), 'json_invalid'],
    ['nesting of 200', `{"text":${'['.repeat(200)}${']'.repeat(200)}}`, 'json_invalid'],
    ['__proto__ for a text', '{"__proto__":{"text":"x"}}', 'missing'],
  ])('is rejected: %s', async (_, body, type) => {
    const response = await post('speech/stream', body);
    expect([response.status, await response.json()]).toMatchObject([422, { detail: [{ type }] }]);
  });

  it('requires a key with the speech scope', async () => {
    const response = await fetch(`${product.url}/api/v1/tts/speech/stream`, { method: 'POST' });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });
});
