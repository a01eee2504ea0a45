import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../media/languages.js';
import { normaliserOf } from '../../../media/text/normalise/registry.js';
import { TEXT_WORDS } from '../../../media/text/word-lists/registry.js';

describe.each(LANGUAGES)('text word lists of %s', (language) => {
  it('name every sign and have abbreviations', () => {
    const { signs, fullStops } = TEXT_WORDS[language];
    expect(Object.values(signs).every((name) => name.trim() !== '')).toBe(true);
    expect(fullStops.inside.split(' ').length).toBeGreaterThan(10);
    expect(fullStops.either).not.toBe('');
  });

  it('have a normaliser that leaves no digit', () => {
    expect(normaliserOf(language)?.normalise('12.05.2025, 8:30, 3,5 km').text).toMatch(
      /^\P{Nd}+$/u,
    );
  });
});
