import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  ALL_IDLE,
  type SpeechApp,
  startSpeechApp,
} from '../../../support/harness/app/speech-app.js';
import { VirtualClock } from '../../../support/harness/audio/virtual-clock.js';
import { OversizedSender } from '../../../support/harness/call/oversized-sender.js';
import { SpeechSocket } from '../../../support/harness/call/speech-socket.js';

const WITHIN = { timeout: 30_000 };
let clock: VirtualClock;
let app: SpeechApp;
beforeEach(async () => {
  clock = new VirtualClock();
  app = await startSpeechApp({ clock });
});
afterEach(() => app.close());

it.each(['stream', 'multi-stream'])(
  'closes %s normally after three minutes without messages',
  async (path) => {
    const client = await SpeechSocket.open(app.url, path);
    await expect.poll(() => clock.pending, WITHIN).toBe(1);
    clock.advance(179_000);
    client.send({ text: 'x' });
    await expect.poll(() => clock.pending, WITHIN).toBe(2); // the sentence may be settled
    clock.advance(179_999);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    clock.advance(1);
    expect((await client.closed).code).toBe(1000);
    expect(clock.pending).toBe(0);
  },
);

it.each(['stream', 'multi-stream'])(
  'closes %s with 1009 if its client stalls within an oversized frame',
  async (path) => {
    const sender = await OversizedSender.open(`${app.url}/api/v1/tts/${path}`, {
      Authorization: 'Bearer key',
    });
    await sender.begin();
    await expect.poll(() => clock.pending, WITHIN).toBe(0); // the session has ended
    clock.advance(25_000);
    expect(await sender.finish()).toBe(1009);
  },
);

const TEXT = 'Words and words.';

async function speaking(audio_format: string, path = 'stream'): Promise<SpeechSocket> {
  const client = await SpeechSocket.open(app.url, path);
  return client.send({ text: TEXT, audio_format, delivery_mode: 'paced', flush: true });
}

/** Bytes of audio received when the next chunk waits for its time. */
async function receivedWhenPaced(client: SpeechSocket): Promise<number> {
  // The timer of the socket and that of the chunk.
  await expect.poll(() => clock.pending, WITHIN).toBe(2);
  client.socket.ping();
  // Arrives after everything sent before.
  await once(client.socket, 'pong');
  return client.audio().length;
}

it.each([
  ['pcm', 64],
  ['pcm_8000', 16],
  ['ulaw_8000', 8],
  ['alaw_8000', 8],
])('sends paced %s in real time with a small lead', async (format, bytesPerMs) => {
  for (const path of ['stream', 'multi-stream']) {
    const client = await speaking(format, path);
    const ahead = await receivedWhenPaced(client);
    expect(ahead / bytesPerMs).toBeLessThanOrEqual(300);
    // While the clock does not advance, nothing else is sent, whatever other requests do.
    const whole = await app.post('speech', { text: TEXT, audio_format: format });
    const wanted = Buffer.from(await whole.arrayBuffer());
    expect(client.audio().length).toBe(ahead);
    clock.advance(100);
    const later = await receivedWhenPaced(client);
    expect(later).toBeGreaterThan(ahead);
    expect((later - ahead) / bytesPerMs).toBeLessThanOrEqual(200);
    await expect
      .poll(() => {
        clock.advance(100);
        return client.controlMessages.length;
      }, WITHIN)
      .toBe(1);
    expect(client.audio().equals(wanted)).toBe(true);
    client.socket.close();
    await client.closed;
  }
});

it.each(['mp3', 'wav', 'wav_16000', 'opus_48000_64'])('does not pace %s', async (format) => {
  const client = await speaking(format);
  expect((await client.closed).code).toBe(1000);
  expect(client.audio().length).toBeGreaterThan(1_000);
});

it('stops a paced context immediately when the caller interrupts', async () => {
  const client = await SpeechSocket.open(app.url, 'multi-stream');
  client.send({ context_id: 'a', audio_format: 'pcm_8000', delivery_mode: 'paced' });
  client.send({ context_id: 'a', text: TEXT, flush: true });
  const ahead = await receivedWhenPaced(client);
  client.send({ context_id: 'a', close_context: true });
  await expect
    .poll(() => client.controlMessages, WITHIN)
    .toEqual([{ context_closed: true, context_id: 'a' }]);
  expect(client.audio().length).toBe(ahead);
  await expect.poll(() => app.underWay(), WITHIN).toEqual(ALL_IDLE);
  client.socket.close();
  await client.closed;
});
