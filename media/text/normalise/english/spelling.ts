import type { SpokenForm } from '../../aligned-text.js';
import { setApart } from '../rules/number-text.js';
import { ENGLISH_TABLES } from '../word-lists/en.js';
import { digitByDigit } from './number-words.js';

const SIGN_NAMES: ReadonlyMap<string, string> = new Map(Object.entries(ENGLISH_TABLES.signNames));

/**
 * Characters to spell become private-use characters, one per character, so that no rule confuses the
 * letter "a" with the article. `CLEANING` removes such characters from the caller's text first.
 */
const FIRST_SPELT = 0xe000;
const MAX_SPELLED_LENGTH = 200;

/** The decimal point, which is unstressed. */
export const DECIMAL_POINT = spelt('.');

/** The private-use character for one printable ASCII character. */
export function spelt(character: string): string {
  return String.fromCharCode(FIRST_SPELT + character.charCodeAt(0));
}

/** Class of the private-use characters in use, for patterns. */
export const SPELT = '\\ue021-\\ue07e';
const ONLY_SPELT = new RegExp(`^[${SPELT}]+$`);

/** The characters to spell that a token consists of; undefined for other tokens. */
export function speltCharacters(token: string): string | undefined {
  if (!ONLY_SPELT.test(token)) return undefined;
  return Array.from(token, (sign) => String.fromCharCode(sign.charCodeAt(0) - FIRST_SPELT)).join(
    '',
  );
}

/** Letters, digits and signs by name, with a short pause after each. */
function spellOut(characters: string): string {
  const names: string[] = [];
  for (const character of characters.normalize('NFKD')) {
    const name = nameOf(character);
    if (name !== undefined) names.push(name);
  }
  return names.join(', ');
}

/** `[SPELL:BX42]` in a text to speak. */
export const SPELLING: SpokenForm = {
  pattern: new RegExp(`\\[SPELL:([^\\]\\n]{0,${MAX_SPELLED_LENGTH}})\\]`, 'gi'),
  say: (match) => setApart(match, spellOut(match[1] ?? '')),
};

function nameOf(character: string): string | undefined {
  if (/[A-Za-z]/.test(character)) return spelt(character.toUpperCase());
  if (/\d/.test(character)) return digitByDigit(character);
  return SIGN_NAMES.get(character);
}
