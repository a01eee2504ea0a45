import { describe, expect, it } from 'vitest';
import { TURN_WORDS } from '../../../agents-runtime/turn/word-lists/registry.js';
import { LANGUAGES } from '../../../media/languages.js';

describe.each(LANGUAGES)('turn words of %s', (language) => {
  it('have an entry in every list', () => {
    const { questions, ...lists } = TURN_WORDS[language];
    for (const list of [...Object.values(lists), ...Object.values(questions)]) {
      expect(list.split(' ').every((entry) => entry !== '')).toBe(true);
    }
  });
});
