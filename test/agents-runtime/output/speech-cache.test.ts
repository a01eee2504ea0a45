import { describe, expect, it } from 'vitest';
import { SpeechCache } from '../../../agents-runtime/output/speech-cache.js';
import type { SpokenChunk } from '../../../agents-runtime/output/spoken-text-alignment.js';
import { ToneVoice } from '../../support/fakes/tone-voice.js';
import { VirtualClock } from '../../support/harness/audio/virtual-clock.js';

const GREETING = 'Hello, this is the flower shop.';

function setUp() {
  const voice = new ToneVoice();
  const clock = new VirtualClock();
  const greetings = new SpeechCache(clock);
  const voiceSettings = {
    voice,
    language: 'en',
    temperature: 1,
    topP: 0.8,
    minSentenceLength: 20,
    sampleRate: voice.sampleRate,
  };
  const listen = async (text: string, change: Partial<typeof voiceSettings> = {}) => {
    const { signal } = new AbortController();
    const received: SpokenChunk[] = [];
    for await (const receivedChunk of greetings.speak(
      text,
      { ...voiceSettings, ...change },
      signal,
    )) {
      received.push(receivedChunk);
    }
    return received.flatMap(({ samples }) => [...samples]);
  };
  return { clock, voice, greetings, voiceSettings, listen };
}

describe('cached greeting', () => {
  it('is synthesised once and equal for all callers', async () => {
    const { voice, listen } = setUp();
    const first = await listen(GREETING);
    const { chunks } = voice;
    expect(first.length).toBeGreaterThan(10_000);
    expect(await listen(GREETING)).toEqual(first);
    expect(voice.chunks).toBe(chunks);
  });

  it('needs no voice after a preload', async () => {
    const { voice, greetings, voiceSettings, listen } = setUp();
    const same = setUp();
    await same.listen(GREETING);
    const { chunks } = same.voice;
    greetings.preload(GREETING, voiceSettings);
    await expect.poll(() => voice.chunks).toBe(chunks);
    expect((await listen(GREETING)).length).toBeGreaterThan(10_000);
    expect(voice.chunks).toBe(chunks);
  });

  it('can be played by several callers during its synthesis', async () => {
    const { voice, listen } = setUp();
    let goOn: () => void = () => undefined;
    const blocked = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    voice.beforeChunk = (chunk) => (chunk === 1 ? blocked : Promise.resolve());
    const both = Promise.all([listen(GREETING), listen(GREETING)]);
    goOn();
    const [one, other] = await both;
    expect(one).toEqual(other);
    expect(one.length).toBeGreaterThan(10_000);
  });

  it('is separate for other voice settings', async () => {
    const { voice, listen } = setUp();
    await listen(GREETING);
    const { chunks } = voice;
    await listen(GREETING, { temperature: 0.5 });
    expect(voice.chunks).toBe(2 * chunks);
    await listen(GREETING, { sampleRate: 16_000 });
    expect(voice.chunks).toBe(3 * chunks);
  });

  it('reports a failure to its callers and is synthesised again for the next one', async () => {
    const { voice, listen } = setUp();
    const failing = 'This FAULT comes in the middle of what is said.';
    await expect(listen(failing)).rejects.toMatchObject({ code: 'WORKER_DIED' });
    const { chunks } = voice;
    await expect(listen(failing)).rejects.toMatchObject({ code: 'WORKER_DIED' });
    expect(voice.chunks).toBeGreaterThan(chunks);
  });

  it('is synthesised again after a voice has hung for 10 s', async () => {
    const { clock, voice, greetings, voiceSettings, listen } = setUp();
    voice.beforeChunk = (chunk) => (chunk === 1 ? new Promise(() => undefined) : Promise.resolve());
    const { signal } = new AbortController();
    const hung = greetings.speak(GREETING, voiceSettings, signal);
    expect((await hung.next()).done).toBe(false);
    void hung.next();
    voice.beforeChunk = () => Promise.resolve();
    clock.advance(9_000);
    const { chunks } = voice;
    expect((await greetings.speak(GREETING, voiceSettings, signal).next()).done).toBe(false);
    expect(voice.chunks).toBe(chunks);
    clock.advance(1_000);
    expect((await listen(GREETING)).length).toBeGreaterThan(10_000);
  });

  it('is not stored if it is very long, and its synthesis stops with the call', async () => {
    const { voice, greetings, voiceSettings } = setUp();
    const text = 'And so on, and so forth, for a while. '.repeat(30);
    greetings.preload(text, voiceSettings);
    expect(voice.active).toBe(0);
    const work = new AbortController();
    const speech = greetings.speak(text, voiceSettings, work.signal);
    await speech.next();
    work.abort();
    await expect(
      (async () => {
        for await (const _ of speech);
      })(),
    ).rejects.toMatchObject({ code: 'ABORTED' });
    expect(voice.active).toBe(0);
  });
});
