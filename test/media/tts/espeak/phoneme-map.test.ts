import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../../../media/languages.js';
import { CpuScheduler, ThreadQueue } from '../../../../media/runtime/cpu-scheduler.js';
import { EspeakProcess, locateEspeak } from '../../../../media/tts/espeak/espeak-process.js';
import { espeakTextOf } from '../../../../media/tts/espeak/espeak-text.js';
import { EspeakVoice } from '../../../../media/tts/espeak/espeak-voice.js';
import {
  mnemonicsOf,
  type PhonemeMap,
  phonemeMapOf,
  SOUND_SAMPLES,
} from '../../../../media/tts/espeak/phoneme-map.js';
import { ESPEAK_VOICE_NAMES } from '../../../../src/features/voices/espeak-voices.js';

/** Words whose transcription equals the engine's own pronunciation. */
const WORDS: Readonly<Record<Language, readonly [word: string, ipa: string]>> = {
  en: ['banjo', 'ˈbændʒoʊ'],
  ca: ['casa', 'ˈkazə'],
  sv: ['mat', 'ˈmɑːt'],
  es: ['perro', 'ˈpero'],
  fr: ['maison', 'mɛˈzɔ̃'],
  de: ['schön', 'ˈʃøːn'],
  it: ['pizza', 'ˈpittsa'],
  pt: ['gato', 'ˈɡatu'],
  pl: ['szkoła', 'ˈʃkɔwa'],
  ru: ['дом', 'ˈdom'],
  nl: ['boot', 'ˈboːt'],
};

let engine: EspeakProcess;
const queue = new ThreadQueue(new CpuScheduler(1));
beforeAll(() => {
  engine = new EspeakProcess(locateEspeak() ?? '');
});
afterAll(() => engine.close());

async function phonemeMapIn(language: Language): Promise<PhonemeMap> {
  const sample = SOUND_SAMPLES[language].replaceAll(',', '');
  const { ipa, mnemonics } = await engine.mnemonics(ESPEAK_VOICE_NAMES[language], sample);
  return phonemeMapOf(ipa, mnemonics);
}

/** Number of samples of a text; random variation in the engine changes it by some ms. */
async function lengthOf(language: Language, text: string, ipa?: string): Promise<number> {
  const name = ESPEAK_VOICE_NAMES[language];
  const voice = new EspeakVoice({ id: 'x', language, voice: name, process: engine, queue });
  const pronounced = ipa === undefined ? [] : [{ textStart: 0, textEnd: text.length, ipa }];
  const utterance = { text, pronounced, language, temperature: 1, topP: 0.8, seed: 1, speed: 1 };
  const how = { signal: new AbortController().signal, firstPriority: 'first-chunk' } as const;
  let samples = 0;
  for await (const chunk of voice.speak(utterance, how)) samples += chunk.samples.length;
  return samples;
}

describe.each(LANGUAGES)('eSpeak voice of %s', (language) => {
  const [word, ipa] = WORDS[language];

  it('supports most sounds of its language', async () => {
    expect((await phonemeMapIn(language)).size).toBeGreaterThan(22);
  });

  it('speaks a transcription in place of the written word', async () => {
    const own = await lengthOf(language, word);
    const other = word.slice(0, 1).repeat(12);
    const settled = await lengthOf(language, other, ipa);
    const unsettled = await lengthOf(language, other);
    expect(Math.abs(settled - own) / own).toBeLessThan(0.25);
    expect(Math.abs(unsettled - own) / own).toBeGreaterThan(0.5);
  });
});

describe('transcription', () => {
  it('has its stress before the vowel', async () => {
    const phonemeMap = await phonemeMapIn('en');
    expect(mnemonicsOf('ˈbænd.ʒoʊ', phonemeMap)).toBe("b'andZoU");
    expect(mnemonicsOf('ˌstrɛθ', phonemeMap)).toBe(
      'str,ET'.replace('r', phonemeMap.get('ɹ') ?? 'r'),
    );
  });

  it('is not used if the voice lacks a sound', async () => {
    const phonemeMap = await phonemeMapIn('es');
    expect(mnemonicsOf('ǃa', phonemeMap)).toBeUndefined();
    expect(mnemonicsOf('', phonemeMap)).toBeUndefined();
    const said = await lengthOf('es', 'hola', 'ǃa');
    const own = await lengthOf('es', 'hola');
    expect(Math.abs(said - own) / own).toBeLessThan(0.1);
  });

  it('replaces its word, and phonemes in the text are not interpreted', () => {
    const text = 'Say [[h@l]] to Qwrt at 7:30.';
    const settled = [{ textStart: 15, textEnd: 19, text: 'Qwrt', phonemes: "b'andZoU" }];
    const reading = espeakTextOf(text, 'en', settled);
    expect(reading.text).toContain("to [[b'andZoU]] at seven thirty");
    expect(reading.text.match(/\[\[/g)).toHaveLength(1);
    const start = reading.text.indexOf('[[');
    expect(reading.origin(start, start + 5)).toMatchObject({ textStart: 15, textEnd: 19 });
    expect(espeakTextOf(text, 'de', settled).text).toContain("to [[b'andZoU]] at");
  });
});
