import { expect, it } from 'vitest';
import { STOCK_PHRASES } from '../../../agents-runtime/reply/phrases/registry.js';
import { LANGUAGES } from '../../../media/languages.js';

/** All texts of a set of phrases. */
function textsOf(phrases: object): string[] {
  return Object.values(phrases).flatMap((value) =>
    typeof value === 'string' ? [value] : textsOf(value),
  );
}

it.each(LANGUAGES)('the stock phrases of %s are complete sentences', (language) => {
  const texts = textsOf(STOCK_PHRASES[language]);
  expect(texts).toHaveLength(textsOf(STOCK_PHRASES.en).length);
  expect(texts.every((text) => /[.?!]$/.test(text))).toBe(true);
});

it('each language has separate stock phrases', () => {
  const sets = LANGUAGES.map((language) => textsOf(STOCK_PHRASES[language]).join(' '));
  expect(new Set(sets).size).toBe(LANGUAGES.length);
});
