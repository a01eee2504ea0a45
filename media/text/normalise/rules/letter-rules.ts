import type { SpokenForm } from '../../aligned-text.js';
import { signNamesOf } from '../../speech-text.js';
import type { Grammar } from './grammar.js';
import { digitByDigit, setApart } from './number-text.js';

const MAX_SPELLING_LENGTH = 200;
const VOWEL = /[AEIOUÄÖÜÅÀÈÉÍÒÓÚÃÕÊÔÂÎÛËÏØÆАЕЁИОУЫЭЮЯ]/u;

/** Returns the name of a character; undefined if it has none. */
function nameOf(character: string, grammar: Grammar): string | undefined {
  if (/\d/.test(character)) return digitByDigit(character, grammar);
  const small = character.toLowerCase();
  const name = grammar.letters.get(small);
  if (name !== undefined) return name;
  const sign = signNamesOf(grammar.language).get(character);
  if (sign !== undefined) return sign;
  const [base = ''] = small.normalize('NFD');
  return grammar.letters.get(base) ?? (/\p{L}/u.test(character) ? small : undefined);
}

/** Returns the names of letters, digits and signs. @param join - text between two names */
export function spellOut(characters: string, grammar: Grammar, join: string): string {
  return Array.from(characters.normalize('NFC'), (character) => nameOf(character, grammar))
    .filter((name) => name !== undefined)
    .join(join);
}

/** Returns the rule for `[SPELL:BX42]`: the names with a short pause after each. */
export function spellingRule(grammar: Grammar): SpokenForm {
  return {
    pattern: new RegExp(`\\[SPELL:([^\\]\\n]{0,${MAX_SPELLING_LENGTH}})\\]`, 'gi'),
    needs: '[',
    say: (match) => setApart(match, spellOut(match[1] ?? '', grammar, ', ')),
  };
}

/** Returns the rule that spells acronyms without a vowel and the acronyms that the grammar lists. */
export function acronymRule(grammar: Grammar): SpokenForm {
  const listed = new Map(
    grammar.acronyms.map((entry) => {
      const [acronym = '', said] = entry.split(':');
      return [acronym, said];
    }),
  );
  return {
    pattern: /(?<![\p{L}\p{M}])\p{Lu}{2,6}(?![\p{L}\p{M}])/gu,
    say: ([found]) => {
      const said = listed.get(found);
      if (said !== undefined) return said;
      if (!listed.has(found) && VOWEL.test(found)) return undefined;
      return spellOut(found, grammar, ' ');
    },
  };
}
