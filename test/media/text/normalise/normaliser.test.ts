import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../../media/languages.js';
import { normaliserOf } from '../../../../media/text/normalise/registry.js';
import { languageCases } from '../../../support/corpora/language-cases.js';
import '../../../support/harness/process/property-seed.js';

const OTHERS = LANGUAGES.filter((language) => language !== 'en');

function said(written: string, language: string): string {
  return normaliserOf(language)!.normalise(written).text;
}

/** Sources with published data; see the README of the fixtures. */
const PUBLISHED = /^(?:num2words 0|lingua_franca 0|CLDR 4[28] \(ICU)/;

it.each(['ca', 'nl', 'pl'])('most cases of %s come from published data', (language) => {
  const published = languageCases(language).filter(({ source }) => PUBLISHED.test(source));
  expect(published.length).toBeGreaterThanOrEqual(35);
});

describe.each(OTHERS)('text in %s', (language) => {
  const cases = languageCases(language);

  it('has a case for each category', () => {
    expect(cases.length).toBeGreaterThanOrEqual(20);
    expect(cases.every(({ source }) => source.length > 10)).toBe(true);
  });

  it.each(cases)('$written is spoken as "$spoken"', ({ written, spoken }) => {
    expect(said(written, language)).toBe(spoken);
  });

  const fragments = fc.constantFrom(
    ...[
      '1',
      '23',
      '456',
      '1999',
      '2024',
      '0',
      '007',
      '1.234',
      '3,5',
      '12:30',
      '3.5.2024',
      '2024-02-29',
    ],
    ...[
      ' ',
      ' ',
      ' ',
      '.',
      ',',
      '-',
      '/',
      ':',
      '%',
      '€',
      '$',
      '+',
      '#',
      '°C',
      'km',
      'º',
      'e',
      'h',
      'г.',
    ],
    ...[
      'XXI',
      '½',
      '²',
      '٣',
      '①',
      'Ⅻ',
      '𝟙',
      'a',
      'BMW',
      'Dr.',
      '[SPELL:',
      ']',
      '🎉',
      '\u0301',
      '\ud800',
    ],
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(fragments, { maxLength: 25 }).map((parts) => parts.join('')),
  );

  it('has no digits, and each spoken word maps to its written characters', () => {
    fc.assert(
      fc.property(texts, (written) => {
        const traced = normaliserOf(language)!.normalise(written);
        expect(traced.text).not.toMatch(/\p{N}/u);
        for (const { 0: word, index } of traced.text.matchAll(/\S+/g)) {
          const { textStart, textEnd } = traced.origin(index, index + word.length);
          expect(textStart).toBeGreaterThanOrEqual(0);
          expect(textEnd).toBeGreaterThan(textStart);
          expect(textEnd).toBeLessThanOrEqual(written.length);
        }
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    '1',
    '1.',
    '1 ',
    '1,',
    '1-',
    '1/',
    '1:',
    '.',
    '- ',
    'a1',
    'A',
    '[SPELL:',
    '1h',
    'XI ',
    '+1 ',
    '€',
    '12:30-',
    '1 234 ',
  ])('takes linear time for many "%s"', (unit) => {
    const time = (length: number) => {
      const text = unit.repeat(length / unit.length);
      const start = performance.now();
      said(text, language);
      return performance.now() - start;
    };
    time(2_000);
    expect(time(20_000)).toBeLessThan(40 * Math.max(25, time(2_000)));
  });
});
