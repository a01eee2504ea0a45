import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CpuScheduler, PRIORITIES } from '../../../../media/runtime/cpu-scheduler.js';
import { HibariVoice } from '../../../../media/tts/hibari/hibari-voice.js';
import type {
  SpeechChunk,
  SynthesisRequest,
  WordTime,
} from '../../../../media/tts/text-to-speech.js';
import { ENGLISH_VOICE } from '../../../support/harness/audio/english-front-end.js';

const TWELVE = 'Our office opens at nine in the morning and closes at six.';
const SAMPLE_RATE = 24_000;

const scheduler = new CpuScheduler(2);
const voice = new HibariVoice({ id: 'heart', folder: ENGLISH_VOICE, scheduler });

beforeAll(() => voice.warm());
afterAll(() => voice.close());

function utterance(text: string, changes: Partial<SynthesisRequest> = {}): SynthesisRequest {
  return { text, language: 'en', temperature: 1, topP: 0.8, seed: 7, speed: 1, ...changes };
}

function speak(
  text: string,
  changes: Partial<SynthesisRequest> = {},
  signal = new AbortController().signal,
) {
  return voice.speak(utterance(text, changes), { signal, firstPriority: 'first-chunk' });
}

async function say(text: string, changes: Partial<SynthesisRequest> = {}) {
  const chunks: SpeechChunk[] = [];
  for await (const chunk of speak(text, changes)) chunks.push(chunk);
  const samples = new Float32Array(chunks.reduce((sum, chunk) => sum + chunk.samples.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    samples.set(chunk.samples, at);
    at += chunk.samples.length;
  }
  return { chunks, samples, words: chunks.flatMap((chunk) => chunk.words) };
}

function isSame(one: Float32Array, other: Float32Array): boolean {
  return Buffer.from(one.buffer).equals(Buffer.from(other.buffer));
}

async function expectNothingLeft(): Promise<void> {
  expect(voice.pending).toBe(0);
  expect(await voice.countOpenUtterances()).toBe(0);
  expect(scheduler.busy).toBe(0);
  for (const priority of PRIORITIES) expect(scheduler.waiting(priority)).toBe(0);
}

function expectInOrder(words: readonly WordTime[], samples: number): void {
  let text = 0;
  let time = 0;
  for (const word of words) {
    expect(word.textStart).toBeGreaterThanOrEqual(text);
    expect(word.textEnd).toBeGreaterThan(word.textStart);
    expect(word.startSample).toBeGreaterThanOrEqual(time);
    expect(word.endSample).toBeGreaterThan(word.startSample);
    text = word.textEnd;
    time = word.endSample;
  }
  expect(time).toBeLessThanOrEqual(samples);
}

/** Largest step between two samples relative to the peak. */
function largestStep(samples: Float32Array): number {
  let step = 0;
  let peak = 0;
  for (let i = 1; i < samples.length; i++) {
    step = Math.max(step, Math.abs(samples[i]! - samples[i - 1]!));
    peak = Math.max(peak, Math.abs(samples[i]!));
  }
  return step / peak;
}

describe('English voice', () => {
  it('speaks in chunks: the first is short, and the joins have no clicks', async () => {
    const { chunks, samples } = await say(TWELVE);
    expect(chunks.length).toBeGreaterThan(3);
    expect(chunks[0]!.samples.length).toBeLessThan(0.3 * SAMPLE_RATE);
    expect(samples.length / SAMPLE_RATE).toBeGreaterThan(2.5);
    expect(samples.length / SAMPLE_RATE).toBeLessThan(5);
    const inside = Math.max(...chunks.map((chunk) => largestStep(chunk.samples)));
    expect(largestStep(samples)).toBeLessThanOrEqual(inside);
  });

  it('becomes audible within 150 ms of its first sample', async () => {
    const { samples } = await say(TWELVE);
    const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    const onset = samples.findIndex((sample) => Math.abs(sample) > 0.1 * peak);
    expect(onset / SAMPLE_RATE).toBeLessThan(0.15);
  });

  it('returns the times of all words with the first chunk', async () => {
    const { chunks, samples, words } = await say(TWELVE);
    expect(words.map((word) => TWELVE.slice(word.textStart, word.textEnd))).toEqual(
      TWELVE.replace('.', '').split(' '),
    );
    expect(chunks[0]!.words).toEqual(words);
    expectInOrder(words, samples.length);
  });

  it('is reproducible bit by bit with the same seed, and differs with another one', async () => {
    const [first, again, other] = [
      await say(TWELVE, { seed: 11 }),
      await say(TWELVE, { seed: 11 }),
      await say(TWELVE, { seed: 12 }),
    ];
    expect(isSame(again.samples, first.samples)).toBe(true);
    expect(isSame(other.samples, first.samples)).toBe(false);
  });

  it('supports different speeds', async () => {
    const length = async (speed: number) => (await say(TWELVE, { speed })).samples.length;
    const own = await length(1);
    expect((await length(2)) / own).toBeLessThan(0.7);
    expect((await length(0.5)) / own).toBeGreaterThan(1.5);
  });

  it('speaks a text of thousands of characters completely, with its words in order', async () => {
    const text =
      'Every good boy does fine, and the quick brown fox jumps over the lazy dog, '.repeat(14);
    const { chunks, samples, words } = await say(text);
    expect(words.length).toBe(text.match(/\w+/g)!.length);
    expectInOrder(words, samples.length);
    expect(samples.length / SAMPLE_RATE).toBeGreaterThan(40);
    expect(chunks.filter((chunk) => chunk.words.length > 0).length).toBeGreaterThan(1);
  }, 60_000);

  it.each([
    ['nothing', ''],
    ['spaces', ' \n\t '],
    ['marks', '... ?! —'],
    ['an emoji', '😀'],
    ['another script', '你好，世界'],
    ['control characters', '\u0000\u0007\u001b[31m'],
    ['lone surrogates', '\ud800 \udc00'],
    ['combining marks', `a${'\u0301'.repeat(15_000)}`],
    ['one endless word', 'x'.repeat(5_000)],
  ])(
    'speaks %s briefly or not at all',
    async (_, text) => {
      const { samples, words } = await say(text);
      expect(samples.every(Number.isFinite)).toBe(true);
      expectInOrder(words, samples.length);
      await expectNothingLeft();
    },
    60_000,
  );

  it('rejects an excessive text', async () => {
    await expect(say('word '.repeat(5_000))).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('stopped utterance', () => {
  it('throws ABORTED and leaves nothing behind, at any time', async () => {
    for (const delayMs of [0, 1, 5, 15, 40]) {
      const controller = new AbortController();
      const stopped = (async () => {
        for await (const _ of speak(TWELVE, {}, controller.signal)) void _;
      })();
      const rejected = expect(stopped).rejects.toMatchObject({ code: 'ABORTED' });
      setTimeout(() => controller.abort(), delayMs);
      if (delayMs <= 5) await rejected;
      else await Promise.allSettled([rejected]);
      await expectNothingLeft();
    }
  });

  it('does not start if its signal was already aborted', async () => {
    const stopped = speak(TWELVE, {}, AbortSignal.abort()).next();
    await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' });
    await expectNothingLeft();
  });

  it('leaves nothing behind when its reader stops without a return', async () => {
    for await (const _ of speak(TWELVE)) break;
    await expectNothingLeft();
  });

  it('leaves nothing behind when its reader never continues after the abort', async () => {
    const controller = new AbortController();
    const speech = speak(TWELVE, {}, controller.signal);
    await speech.next();
    controller.abort();
    // The job of a later utterance runs after any remaining job of the stopped one.
    await say('Yes.');
    await expectNothingLeft();
    await expect(speech.next()).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('many utterances', () => {
  it('of 16 callers all finish, each with the same audio as alone', async () => {
    const alone = await say(TWELVE, { seed: 3 });
    const all = await Promise.all(Array.from({ length: 16 }, () => say(TWELVE, { seed: 3 })));
    for (const { samples } of all) expect(isSame(samples, alone.samples)).toBe(true);
    await expectNothingLeft();
  });

  it('that 200 callers abort leave no job and no memory behind', async () => {
    const stopOne = async (i: number) => {
      const controller = new AbortController();
      const speech = speak(TWELVE, { seed: i }, controller.signal);
      const first = speech.next();
      if (i % 2 === 0) await first;
      controller.abort();
      await Promise.allSettled([first, speech.next()]);
    };
    const stopAll = async () => {
      for (let i = 0; i < 200; i += 20) {
        await Promise.all(Array.from({ length: 20 }, (_, j) => stopOne(i + j)));
      }
    };
    await stopAll();
    const before = process.memoryUsage().rss;
    await stopAll();
    expect(process.memoryUsage().rss - before).toBeLessThan(60e6);
    await expectNothingLeft();
  }, 60_000);
});

describe('thread of a voice', () => {
  it('reports the missing model', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-no-voice-'));
    const missing = new HibariVoice({ id: 'none', folder, scheduler });
    await expect(missing.warm()).rejects.toMatchObject({ code: 'MODEL_MISSING' });
    await missing.close();
  });

  it('rejects its jobs when it is closed and releases all permits', async () => {
    const closing = new HibariVoice({ id: 'closing', folder: ENGLISH_VOICE, scheduler });
    const options = { signal: new AbortController().signal, firstPriority: 'first-chunk' } as const;
    const first = closing.speak(utterance(TWELVE), options).next();
    const rejected = expect(first).rejects.toMatchObject({ code: 'WORKER_DIED' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await closing.close();
    await rejected;
    await expectNothingLeft();
  });
});
