import { describe, expect, it } from 'vitest';
import { TURN_LEXICONS } from '../../../agents-runtime/turn/lexicons/registry.js';
import { LANGUAGES } from '../../../media/languages.js';

describe.each(LANGUAGES)('the turn lexicon of %s', (language) => {
  it('has an entry in every list', () => {
    const { asks, ...lists } = TURN_LEXICONS[language];
    for (const list of [...Object.values(lists), ...Object.values(asks)]) {
      expect(list.split(' ').every((entry) => entry !== '')).toBe(true);
    }
  });
});
