import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Dictionary } from '../../../../media/text/dictionary/dictionary.js';
import {
  ALL_IDLE,
  type SpeechApp,
  startSpeechApp,
} from '../../../support/harness/app/speech-app.js';
import { SpeechSocket } from '../../../support/harness/call/speech-socket.js';

const TEXT = 'Good morning everyone. This is the second sentence! Is it the last one?';

const WITHIN = { timeout: 20_000 };
let app: SpeechApp;
beforeAll(async () => {
  app = await startSpeechApp();
});
afterAll(() => app.close());
afterEach(async () => {
  app.voice.beforeChunk = () => Promise.resolve();
  await expect.poll(() => app.underWay(), WITHIN).toEqual(ALL_IDLE);
});

const open = (path = 'stream') => SpeechSocket.open(app.url, path);

async function overHttp(body: object): Promise<Buffer> {
  const response = await app.post('speech', body);
  return Buffer.from(await response.arrayBuffer());
}

describe('speech socket', () => {
  it.each(['mp3', 'pcm_16000', 'opus_48000_64', 'ulaw_8000'])(
    'returns one file of %s and closes normally',
    async (audio_format) => {
      const client = (await open()).send({ text: TEXT, audio_format, flush: true });
      expect(await client.closed).toEqual({ code: 1000, reason: '' });
      expect(client.controlMessages).toEqual([{ is_last: true }]);
      expect(client.messages.at(-1)).toEqual({ is_last: true });
      expect(client.audio().equals(await overHttp({ text: TEXT, audio_format }))).toBe(true);
    },
  );

  it('returns the same audio for any chunking of the text', async () => {
    const client = (await open()).send({ audio_format: 'pcm' });
    for (const text of TEXT) client.send({ text });
    client.send({ flush: true });
    await client.closed;
    const wanted = await overHttp({ text: TEXT, audio_format: 'pcm' });
    expect(client.audio().equals(wanted)).toBe(true);
  });

  it('buffers text until the end of a sentence', async () => {
    const client = (await open()).send({ text: 'This is, so far, no', audio_format: 'pcm' });
    await new Promise((resolve) => setTimeout(resolve, 450));
    expect([client.messages.length, app.voice.active]).toEqual([0, 0]);
    client.send({ text: ' sentence. And' });
    await expect.poll(() => client.audio().length, WITHIN).toBeGreaterThan(0);
    expect(client.controlMessages).toEqual([]);
    client.send({ text: ' so on', flush: true });
    expect((await client.closed).code).toBe(1000);
  });

  it('treats a full stop without following text as the end', async () => {
    for (const [text, isSpoken] of [
      ['It ends here.', true],
      ['It is Mr.', false],
    ] as const) {
      const client = (await open()).send({ text, audio_format: 'pcm' });
      if (isSpoken) await expect.poll(() => client.audio().length, WITHIN).toBeGreaterThan(0);
      else await new Promise((resolve) => setTimeout(resolve, 450));
      expect(client.audio().length > 0).toBe(isSpoken);
      client.socket.close();
      await client.closed;
    }
  });

  it('ignores text after the first flush', async () => {
    const client = (await open()).send(
      { text: 'One.', flush: true, audio_format: 'pcm' },
      { text: 'Two.' },
      { text: 'Three.', flush: true },
    );
    expect((await client.closed).code).toBe(1000);
    expect(client.controlMessages).toEqual([{ is_last: true }]);
    const wanted = await overHttp({ text: 'One.', audio_format: 'pcm' });
    expect(client.audio().equals(wanted)).toBe(true);
  });

  it('completes a text without words', async () => {
    for (const first of [{ flush: true }, { text: ' \n ', flush: true }]) {
      const client = (await open()).send(first);
      expect((await client.closed).code).toBe(1000);
      expect(client.messages).toEqual([{ is_last: true }]);
    }
  });

  it.each([
    [['{"text": "x"'], 1007, 'the message is not valid JSON'],
    [['[]'], 1007, /valid dictionary/],
    [['5'], 1007, /valid dictionary/],
    [[{ text: 5 }], 1007, 'text: Input should be a valid string'],
    [[{ text: 'x', speed: 2 }], 1007, 'extra inputs are not permitted'],
    [[{ text: 'x', context_id: 'a' }], 1007, 'extra inputs are not permitted'],
    [[{ text: 'x', audio_format: 'flac' }], 1007, /^audio_format: /],
    [[{ text: 'x', temperature: 3 }], 1007, /^temperature: /],
    [[{ delivery_mode: 'fast' }], 1007, /^delivery_mode: /],
    [[{ text: 'x' }, { text: 'y', voice_id: 'tone' }], 1007, 'extra inputs are not permitted'],
    [[{ text: 'x' }, { language: 'en' }], 1007, 'extra inputs are not permitted'],
    [[{ text: 'x' }, { text: 'y', close_socket: true }], 1007, 'extra inputs are not permitted'],
    [[Buffer.from('{}')], 1003, 'messages are JSON text'],
    [[{ text: 'x' }, Buffer.from([1, 2, 3])], 1003, 'messages are JSON text'],
    [[{ voice_id: 'nobody' }], 1008, 'No voice has the given voice_id'],
    [[{ voice_id: 'hibari-heart' }], 1008, /not installed/],
    [[{ dictionary_id: 'none' }], 1008, /dictionary/],
    [[{ language: 'es', voice_id: 'tone' }], 1008, /does not speak es/],
    [[{ language: 'de' }], 1008, /de/],
    [[{ text: 'x'.repeat(5001) }], 1008, /5000 characters/],
    [[{ text: 'x'.repeat(3000) }, { text: 'x'.repeat(3000) }], 1008, /5000 characters/],
  ])('closes without a message after %j', async (messages, code, reason) => {
    const client = (await open()).send(...messages);
    const closing = await client.closed;
    expect(closing).toEqual({
      code,
      reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
    });
    expect(client.messages).toEqual([]);
  });

  it('closes with 1011 after an internal error, without details', async () => {
    const client = (await open()).send({ text: 'This one ends in a FAULT.', flush: true });
    expect((await client.closed).code).toBe(1011);
    expect(client.controlMessages).toEqual([]);
    expect(app.logged.join('')).not.toContain('This one');
  });

  it('is refused with 401 without a valid key, and with 403 without the scope', async () => {
    for (const path of ['stream', 'multi-stream']) {
      const headers = { authorization: 'Bearer wrong' };
      const socket = new WebSocket(`ws://127.0.0.1:${app.port}/api/v1/tts/${path}`, { headers });
      socket.on('error', () => undefined);
      const status = await new Promise((resolve) => {
        socket.once('unexpected-response', (_request, response) => resolve(response.statusCode));
      });
      expect(status).toBe(401);
    }
  });
});

it('a socket uses a dictionary sentence by sentence', async () => {
  const dictionary = new Dictionary([
    { id: '1', word: 'GIF', replacement: 'jiffy', ipa: null, caseSensitive: true },
  ]);
  const own = await startSpeechApp({ dictionaries: { find: async () => dictionary } });
  const client = await SpeechSocket.open(own.url, 'stream');
  client.send({ dictionary_id: 'd', audio_format: 'pcm', text: 'Send a GI' });
  client.send({ text: 'F now. The GIF is', flush: true });
  await client.closed;
  const response = await own.post('speech', {
    text: 'Send a jiffy now. The jiffy is',
    audio_format: 'pcm',
  });
  expect(client.audio().equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
  await own.close();
});

describe('client that disconnects', () => {
  it('leaves nothing behind in any state', async () => {
    for (const leave of [
      (client: SpeechSocket) => client.socket.terminate(),
      (client: SpeechSocket) => client.socket.close(),
    ]) {
      app.voice.chunks = 0;
      const client = (await open()).send({ text: 'Many words are spoken. '.repeat(200) });
      await expect.poll(() => app.voice.chunks, WITHIN).toBeGreaterThan(1);
      leave(client);
      await expect.poll(() => app.underWay(), WITHIN).toEqual(ALL_IDLE);
      expect(app.voice.chunks).toBeLessThan(200);
    }
  });

  it('or stops reading has its synthesis stopped', async () => {
    app.voice.chunks = 0;
    const client = await open();
    client.socket.pause();
    client.send({ text: 'Many words are spoken. '.repeat(200), audio_format: 'pcm_48000' });
    let chunks = -1;
    // Until the socket buffers are full.
    await expect
      .poll(
        () => {
          const isStill = chunks === app.voice.chunks && chunks > 0;
          chunks = app.voice.chunks;
          return isStill;
        },
        { interval: 500, timeout: 20_000 },
      )
      .toBe(true);
    expect(chunks).toBeLessThan(350);
    expect(app.slots.used).toBe(1);
    client.socket.terminate();
  });
});

it('a client that does not read is disconnected on either socket', async () => {
  const own = await startSpeechApp({ idleMs: 400 });
  for (const path of ['stream', 'multi-stream']) {
    const client = await SpeechSocket.open(own.url, path);
    client.socket.pause();
    const text = 'Many words are spoken. '.repeat(200);
    client.send({ text, audio_format: 'pcm_48000', flush: true });
    await expect.poll(() => own.slots.used, WITHIN).toBe(1);
    await expect.poll(() => own.underWay(), { timeout: 30_000 }).toEqual(ALL_IDLE);
    client.socket.terminate();
  }
  await own.close();
});

it('paced audio is sent at most in real time', async () => {
  const text = 'Words and words.';
  const stalls = monitorEventLoopDelay({ resolution: 10 });
  stalls.enable();
  const [paced, raw] = await Promise.all(
    ['paced', 'raw'].map(async (delivery_mode) => {
      const client = await open();
      client.send({ text, audio_format: 'pcm_8000', delivery_mode, flush: true });
      await client.closed;
      return client;
    }),
  );
  stalls.disable();
  expect(paced!.audio().equals(raw!.audio())).toBe(true);
  const audioMs = paced!.audio().length / 16;
  const tookMs = paced!.arrivalTimes.at(-1)! - paced!.arrivalTimes[0]!;
  expect(tookMs).toBeGreaterThan(audioMs - 350);
  let sentMs = 0;
  for (const [index, { audio }] of paced!.messages.entries()) {
    sentMs += (audio?.length ?? 0) / 16;
    // At most the lead and the chunk ahead, plus audio whose reading a stall delayed.
    const aheadMs = sentMs - (paced!.arrivalTimes[index]! - paced!.arrivalTimes[0]!);
    expect(aheadMs).toBeLessThan(600 + stalls.max / 1e6);
  }
});
