import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Resampler } from '../../../../media/audio/resampler.js';
import { LANGUAGES, type Language } from '../../../../media/languages.js';
import { CpuScheduler, PRIORITIES, ThreadQueue } from '../../../../media/runtime/cpu-scheduler.js';
import { MoonshineSpeechToText } from '../../../../media/stt/moonshine-speech-to-text.js';
import { EspeakProcess, locateEspeak } from '../../../../media/tts/espeak/espeak-process.js';
import { EspeakVoice } from '../../../../media/tts/espeak/espeak-voice.js';
import type {
  SpeechChunk,
  SynthesisRequest,
  WordTime,
} from '../../../../media/tts/text-to-speech.js';
import { ESPEAK_VOICE_NAMES } from '../../../../src/features/voices/espeak-voices.js';
import { modelFolder } from '../../../support/harness/process/model-folder.js';

const RATE = 22_050;
/** Eight to eleven words each. */
const SENTENCES: Readonly<Record<Language, string>> = {
  en: 'Our office opens at nine and closes at six today.',
  ca: 'La nostra oficina obre a les nou i tanca a les sis.',
  sv: 'Vårt kontor öppnar klockan nio och stänger klockan sex.',
  es: 'Nuestra oficina abre a las nueve y cierra a las seis.',
  fr: 'Notre bureau ouvre à neuf heures et ferme à six heures.',
  de: 'Unser Büro öffnet um neun Uhr und schließt um sechs.',
  it: 'Il nostro ufficio apre alle nove e chiude alle sei.',
  pt: 'O nosso escritório abre às nove e fecha às seis.',
  pl: 'Nasze biuro otwiera się o dziewiątej i zamyka o szóstej.',
  ru: 'Наш офис открывается в девять и закрывается в шесть.',
  nl: 'Ons kantoor gaat om negen uur open en om zes uur dicht.',
};

const scheduler = new CpuScheduler(1);
const queue = new ThreadQueue(scheduler);
let engine: EspeakProcess;
const voices = new Map<Language, EspeakVoice>();

beforeAll(() => {
  const engineFile = locateEspeak();
  if (!engineFile) throw new Error('The optional package of the formant engine is not installed');
  engine = new EspeakProcess(engineFile);
  for (const language of LANGUAGES) {
    const voice = ESPEAK_VOICE_NAMES[language];
    const id = `formant-${language}`;
    voices.set(language, new EspeakVoice({ id, language, voice, process: engine, queue }));
  }
});
afterAll(() => engine.close());

function speak(
  text: string,
  changes: Partial<SynthesisRequest> & { readonly language?: Language } = {},
  signal = new AbortController().signal,
) {
  const utterance = { text, language: 'en', temperature: 1, topP: 0.8, seed: 1, speed: 1 };
  const voice = voices.get(changes.language ?? 'en')!;
  return voice.speak({ ...utterance, ...changes }, { signal, firstPriority: 'first-chunk' });
}

async function say(text: string, changes: Parameters<typeof speak>[1] = {}) {
  const chunks: SpeechChunk[] = [];
  for await (const chunk of speak(text, changes)) chunks.push(chunk);
  const samples = Float32Array.from(chunks.flatMap((chunk) => [...chunk.samples]));
  return { chunks, samples, words: chunks.flatMap((chunk) => chunk.words) };
}

function loudness(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

function expectInOrder(words: readonly WordTime[], text: string, samples: number): void {
  let read = 0;
  let time = 0;
  for (const word of words) {
    expect(word.textStart).toBeGreaterThanOrEqual(read);
    expect(word.textEnd).toBeGreaterThan(word.textStart);
    expect(word.startSample).toBeGreaterThanOrEqual(time);
    expect(word.endSample).toBeGreaterThan(word.startSample);
    read = word.textEnd;
    time = word.endSample;
  }
  expect(read).toBeLessThanOrEqual(text.length);
  expect(time).toBeLessThanOrEqual(samples);
}

function expectNothingLeft(): void {
  expect(engine.pending).toBe(0);
  expect(scheduler.busy).toBe(0);
  for (const priority of PRIORITIES) expect(scheduler.waiting(priority)).toBe(0);
}

describe('eSpeak voices', () => {
  it.each(LANGUAGES)('speak %s and return the time of each word', async (language) => {
    const text = SENTENCES[language];
    const { samples, words } = await say(text, { language });
    const seconds = samples.length / RATE;
    expect(seconds).toBeGreaterThan(2);
    expect(seconds).toBeLessThan(6);
    expect(loudness(samples)).toBeGreaterThan(0.02);
    expect(samples.every((sample) => Math.abs(sample) <= 1)).toBe(true);
    expectInOrder(words, text, samples.length);
    expect(words.map((word) => text.slice(word.textStart, word.textEnd))).toEqual(
      text.replace('.', '').split(' '),
    );
  });

  it('return the time of a word at the latest with its audio', async () => {
    const { chunks } = await say(`${SENTENCES.en} And so on, with 25 more words, until it ends.`);
    let at = 0;
    for (const { samples, words } of chunks) {
      at += samples.length;
      for (const word of words)
        expect(word.startSample).toBeGreaterThanOrEqual(at - samples.length);
    }
    expect(chunks.length).toBeGreaterThan(5);
  });

  it('are transcribed correctly by the recogniser', async () => {
    const { samples } = await say('Good morning. What are your opening hours on Sunday?');
    const durations: number[] = [];
    const resampler = new Resampler(RATE, 16_000);
    resampler.push(samples, (part) => void durations.push(...part));
    resampler.flush((part) => void durations.push(...part));
    const folder = modelFolder('moonshine-tiny-en');
    const recogniser = new MoonshineSpeechToText({ id: 'moonshine-tiny-en', folder, scheduler });
    const { text } = await recogniser.transcribe(Float32Array.from(durations), {
      priority: 'final-transcript',
    });
    await recogniser.close();
    expect(text.toLowerCase()).toMatch(/good morning|opening hours|sunday/);
  });

  it('support different speeds', async () => {
    const length = async (speed: number) =>
      (await say(SENTENCES.de, { language: 'de', speed })).samples.length;
    const own = await length(1);
    expect((await length(2)) / own).toBeLessThan(0.7);
    expect((await length(0.5)) / own).toBeGreaterThan(1.5);
  });

  it('spell letter by letter, as one word of the text', async () => {
    const text = 'Ihr Code ist [SPELL:BX42] bitte.';
    const { words } = await say(text, { language: 'de' });
    const [, , , code] = words;
    expect(text.slice(code!.textStart, code!.textEnd)).toBe('[SPELL:BX42]');
    expect((code!.endSample - code!.startSample) / RATE).toBeGreaterThan(0.9);
  });

  it.each([
    ['nothing', ''],
    ['marks', '... ?! — ,,, ;'],
    ['an emoji', '😀 👨‍👩‍👧'],
    ['other scripts', '你好，世界 مرحبا 𝐀𝐁 ǅ'],
    ['control characters', '\u0000\u0007\u001b[31m'],
    ['lone surrogates', '\ud800 \udc00'],
    ['markup', '<speak><break time="100s"/></speak> &lt; &#0; [[h@l]] {x} \\ |'],
    ['combining marks', `a${'\u0301'.repeat(15_000)}`],
    ['one endless word', 'x'.repeat(1_000)],
    ['many digits', '9'.repeat(300)],
  ])('do not fail on %s', async (_, text) => {
    for (const language of ['de', 'ru'] as const) {
      const { samples, words } = await say(text, { language });
      expect(samples.every(Number.isFinite)).toBe(true);
      expectInOrder(words, text, samples.length);
    }
    expectNothingLeft();
  });

  it('reject a text of more than 20,000 characters', async () => {
    await expect(say('x'.repeat(20_001))).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('stopped utterance', () => {
  it('leaves nothing behind when its signal is aborted', async () => {
    const stop = new AbortController();
    const speech = speak(`${SENTENCES.en} `.repeat(20), {}, stop.signal);
    await speech.next();
    stop.abort();
    await expect(
      (async () => {
        for await (const _ of speech);
      })(),
    ).rejects.toMatchObject({ code: 'ABORTED' });
    expectNothingLeft();
  });

  it('leaves nothing behind when its reader stops or never continues', async () => {
    const left = speak(`${SENTENCES.en} `.repeat(20));
    await left.next();
    await left.return(undefined);
    expectNothingLeft();
    const stop = new AbortController();
    await speak(`${SENTENCES.en} `.repeat(20), {}, stop.signal).next();
    stop.abort();
    await expect.poll(() => [engine.pending, scheduler.busy]).toEqual([0, 0]);
  });

  it('no longer waits for a permit', async () => {
    const stop = new AbortController();
    let free = (): void => undefined;
    const blockingJob = scheduler.use(
      'turn',
      () =>
        new Promise<void>((resolve) => {
          free = resolve;
        }),
    );
    const waiting = speak('Hello there.', {}, stop.signal).next();
    await expect.poll(() => scheduler.waiting('first-chunk')).toBe(1);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' });
    free();
    await blockingJob;
    expectNothingLeft();
  });
});

describe('eSpeak process', () => {
  it('is restarted after its death, which fails the current utterance', async () => {
    await say('Hello.');
    // Stops the process first, so that it cannot respond before the kill.
    process.kill(engine.pid!, 'SIGSTOP');
    const speech = speak(`${'Every good boy does fine and the quick brown fox jumps '.repeat(3)}.`);
    const coming = speech.next();
    await expect.poll(() => engine.pending).toBe(1);
    process.kill(engine.pid!, 'SIGKILL');
    await expect(
      (async () => {
        await coming;
        for await (const _ of speech);
      })(),
    ).rejects.toMatchObject({ code: 'WORKER_DIED' });
    expectNothingLeft();
    expect((await say('Hello again.')).samples.length).toBeGreaterThan(RATE / 2);
  });

  it('is replaced when it hangs, and serves the next utterance', async () => {
    const limits = { replyTimeoutMs: 1_000, startTimeoutMs: 20_000 };
    const hanging = new EspeakProcess(locateEspeak()!, limits);
    try {
      const phonemes = await hanging.phonemes('de', [['Guten', 'Tag']]);
      process.kill(hanging.pid!, 'SIGSTOP');
      const blockingJob = hanging.phonemes('de', [['Guten', 'Tag']]);
      await expect(blockingJob).rejects.toMatchObject({ code: 'WORKER_DIED' });
      expect(await hanging.phonemes('de', [['Guten', 'Tag']])).toEqual(phonemes);
    } finally {
      await hanging.close();
    }
  });

  it('serves sixteen concurrent utterances, each with its own audio', async () => {
    const alone = await say(SENTENCES.fr, { language: 'fr' });
    const all = await Promise.all(
      Array.from({ length: 16 }, (_, i) => {
        const language = LANGUAGES[i % LANGUAGES.length]!;
        return say(SENTENCES[language], { language });
      }),
    );
    const again = all[LANGUAGES.indexOf('fr')]!;
    // Random variation in the engine changes the duration slightly.
    expect(Math.abs(again.samples.length / alone.samples.length - 1)).toBeLessThan(0.03);
    expect(again.words.map(({ textStart }) => textStart)).toEqual(
      alone.words.map(({ textStart }) => textStart),
    );
    expectNothingLeft();
  });

  it('does nothing after its close and leaves no process behind', async () => {
    const other = new EspeakProcess(locateEspeak()!);
    await other.phonemes('de', [['Guten', 'Tag']]);
    const pid = other.pid!;
    await other.close();
    await expect(other.phonemes('de', [['x']])).rejects.toMatchObject({ code: 'WORKER_DIED' });
    await sleep(10);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('reports an engine that cannot be loaded', async () => {
    const broken = new EspeakProcess('/nowhere/engine.js');
    await expect(broken.phonemes('de', [['x']])).rejects.toMatchObject({ code: 'WORKER_DIED' });
    await broken.close();
  });
});
