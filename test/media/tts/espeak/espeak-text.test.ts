import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../../media/languages.js';
import { CpuScheduler, ThreadQueue } from '../../../../media/runtime/cpu-scheduler.js';
import { EspeakPhonemizer } from '../../../../media/tts/espeak/espeak-phonemizer.js';
import { EspeakProcess, locateEspeak } from '../../../../media/tts/espeak/espeak-process.js';
import { espeakTextOf } from '../../../../media/tts/espeak/espeak-text.js';
import { languageCases } from '../../../support/corpora/language-cases.js';

/** Spelled letters as capitals, titles as in the neural voice's tables. */
function said(written: string): string {
  return espeakTextOf(written, 'en')
    .text.replaceAll('-', ' ')
    .replaceAll(/\beigh\b/g, 'A')
    .replace(/\bdoctor\b/g, 'Dr')
    .replace(/\bmister\b/g, 'Mr')
    .replace(/\bP M\b/g, 'PM')
    .replace(/\bA M\b/g, 'AM');
}

describe('English text of the eSpeak voice', () => {
  it.each(languageCases('en'))('$written is spoken as "$spoken"', ({ written, spoken }) => {
    expect(said(written).toLowerCase()).toBe(spoken.toLowerCase());
  });
});

describe('any text', () => {
  const parts = fc.constantFrom(
    '[SPELL:',
    ']',
    '$',
    '1',
    '23',
    ',',
    '.',
    ' ',
    '1/2',
    '½',
    '٣',
    '-',
    'St. ',
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(parts, { maxLength: 20 }).map((some) => some.join('')),
  );

  it.each(LANGUAGES)(
    'in %s is converted without digits, and each part maps to the written text',
    (language) => {
      fc.assert(
        fc.property(texts, (written) => {
          const reading = espeakTextOf(written, language);
          expect(reading.text).not.toMatch(/\p{Nd}/u);
          expect(reading.text).not.toContain('[');
          for (const { 0: word, index } of reading.text.matchAll(/\S+/g)) {
            const { textStart, textEnd } = reading.origin(index, index + word.length);
            expect(textEnd).toBeGreaterThan(textStart);
            expect(textEnd).toBeLessThanOrEqual(written.length);
          }
        }),
        { numRuns: 150 },
      );
    },
  );
});

describe('phonemes of English text', () => {
  let engine: EspeakProcess;
  let phonemizer: EspeakPhonemizer;
  beforeAll(() => {
    engine = new EspeakProcess(locateEspeak() ?? '');
    phonemizer = new EspeakPhonemizer(engine, new ThreadQueue(new CpuScheduler(1)));
  });
  afterAll(() => engine.close());

  async function phonemes(text: string): Promise<string> {
    const how = { priority: 'background', signal: new AbortController().signal } as const;
    const clauses = await phonemizer.phonemize(text, { voice: 'en-us', language: 'en' }, how);
    return clauses.map((clause) => clause.phonemes).join(' ');
  }

  it.each([
    ['It costs $3.50.', 'It costs three dollars and fifty cents.'],
    ['Room 101 at 7:05', 'Room one oh one at seven oh five'],
    ['on 3/4/2025', 'on March fourth, twenty twenty five'],
    ['[SPELL:BX42]', 'B, X, four, two'],
    ['12 Oak Dr. is near St. Paul', 'twelve Oak drive is near saint Paul'],
  ])('of "%s" equal those of "%s"', async (written, words) => {
    expect(await phonemes(written)).toBe(await phonemes(words));
  });

  it('have the letter A where it is spelled, and not the article', async () => {
    expect(await phonemes('[SPELL:KA]')).toContain('ˈeɪ');
  });
});
