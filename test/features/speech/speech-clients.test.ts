import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ALL_IDLE, type SpeechApp, startSpeechApp } from '../../support/harness/app/speech-app.js';

const LONG_TEXT = 'Several words are spoken here. '.repeat(100);

let app: SpeechApp;
beforeEach(async () => {
  app = await startSpeechApp({ idleMs: 400, slots: 20 });
});
afterEach(() => app.close());

/** A raw client that reads nothing unless the test does. */
function request(body: unknown, path = 'speech/stream'): Socket {
  const json = JSON.stringify(body);
  const socket = connect(app.port, '127.0.0.1');
  socket.on('error', () => undefined); // the server may close the connection
  socket.pause();
  socket.write(
    `POST /api/v1/tts/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer key\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n` +
      `Connection: close\r\n\r\n${json}`,
  );
  return socket;
}

describe('client that stops reading', () => {
  it('has its synthesis stopped and is disconnected after a while', async () => {
    // 150 s at 48 kHz are 14 MB: more than the socket buffers hold.
    const socket = request({ text: LONG_TEXT, audio_format: 'pcm_48000' });
    await expect.poll(() => app.slots.used).toBe(1);
    await expect.poll(() => app.underWay(), { timeout: 20_000 }).toEqual(ALL_IDLE);
    const sentences = LONG_TEXT.split('.').length - 1;
    expect(app.voice.chunks).toBeGreaterThan(1);
    expect(app.voice.chunks).toBeLessThan(sentences * 2);
    socket.destroy();
  });

  it('receives everything if it continues in time, in any read pattern', async () => {
    const body = { text: 'This is read in little pieces. And then some more.' };
    const wanted = Buffer.from(await (await app.post('speech', body)).arrayBuffer());
    for (const pauseMs of [0, 2]) {
      const response = await app.post('speech/stream', body);
      const chunks: Uint8Array[] = [];
      for await (const received of response.body!) {
        chunks.push(received);
        await sleep(pauseMs);
      }
      expect(Buffer.concat(chunks).equals(wanted)).toBe(true);
    }
  });
});

describe('client that disconnects', () => {
  it('leaves nothing behind at any time', async () => {
    for (const chunk of [0, 1, 2, 5, 9]) {
      const abort = new AbortController();
      app.voice.chunks = 0;
      app.voice.beforeChunk = async (index) => {
        if (index !== chunk) return;
        abort.abort();
        await sleep(20); // the disconnection arrives through the socket
      };
      const read = async () => {
        const response = await app.post('speech/stream', { text: LONG_TEXT }, abort.signal);
        for await (const _ of response.body!);
      };
      await expect(read()).rejects.toThrow();
      await expect.poll(() => app.underWay()).toEqual(ALL_IDLE);
      expect(app.voice.chunks).toBeLessThan(chunk + 6);
    }
    expect(app.logged.some((line) => line.includes('"level":50'))).toBe(false);
  });

  it('also stops the synthesis of a complete file', async () => {
    const abort = new AbortController();
    app.voice.beforeChunk = async (index) => {
      if (index === 3) abort.abort();
      await sleep(5);
    };
    await expect(app.post('speech', { text: LONG_TEXT }, abort.signal)).rejects.toThrow();
    await expect.poll(() => app.underWay()).toEqual(ALL_IDLE);
    expect(app.voice.chunks).toBeLessThan(20);
  });
});

describe('error after the first byte', () => {
  it('breaks the connection, so that the response never looks complete', async () => {
    const socket = request({ text: 'This one ends in a FAULT.', audio_format: 'pcm' });
    const chunks: Buffer[] = [];
    socket.on('data', (received) => chunks.push(received));
    socket.resume();
    await once(socket, 'close');
    const answer = Buffer.concat(chunks).toString('latin1');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('Transfer-Encoding: chunked');
    expect(answer.endsWith('0\r\n\r\n')).toBe(false);
    const response = await app.post('speech/stream', { text: 'This is a FAULT.' });
    await expect(response.arrayBuffer()).rejects.toThrow();
    expect(app.underWay()).toEqual(ALL_IDLE);
  });
});

describe('excess of concurrent requests', () => {
  it('is refused with Retry-After, and other requests continue', async () => {
    let open: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    app.voice.beforeChunk = () => gate;
    const served = Array.from({ length: 20 }, () => app.post('speech/stream', { text: 'Hello.' }));
    await expect.poll(() => app.slots.used).toBe(20);
    const refused = await app.post('speech/stream', { text: 'Hello.' });
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: 'OVERLOADED' });
    open?.();
    for (const response of await Promise.all(served)) {
      expect(response.status).toBe(200);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
    }
    await expect.poll(() => app.underWay()).toEqual(ALL_IDLE);
  });

  it('by one account leaves slots for others', async () => {
    const own = await startSpeechApp({ ownSlots: 1 });
    let open: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    own.voice.beforeChunk = () => gate;
    const served = own.post('speech/stream', { text: 'Hello.' });
    await expect.poll(() => own.slots.used).toBe(1);
    const refused = await own.post('speech/stream', { text: 'Hello.' });
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true]);
    const free = own.slots.acquire('another account');
    free();
    open?.();
    expect((await (await served).arrayBuffer()).byteLength).toBeGreaterThan(0);
    await expect.poll(() => own.underWay()).toEqual(ALL_IDLE);
    await own.close();
  });

  it('does not count refused requests', async () => {
    for (let i = 0; i < 30; i++) {
      expect((await app.post('speech/stream', { text: 'x', voice_id: 'no' })).status).toBe(404);
    }
    expect(app.underWay()).toEqual(ALL_IDLE);
  });
});
