import type { SpokenForm } from '../../aligned-text.js';
import { setApart } from '../rules/number-text.js';
import { ENGLISH_TABLES } from '../word-lists/en.js';
import { digitByDigit } from './number-words.js';

const SIGN_NAMES: ReadonlyMap<string, string> = new Map(Object.entries(ENGLISH_TABLES.signNames));

/**
 * Each character to spell is replaced by a private-use character, so that no rule mistakes the letter "a" for
 * the article. `CLEANING` removes private-use characters from the written text before.
 */
const FIRST_SPELT = 0xe000;
const MAX_SPELLED_LENGTH = 200;

/** The decimal point, which is pronounced without stress. */
export const DECIMAL_POINT = spelt('.');

/** Returns the private-use character for a printable ASCII character. */
export function spelt(character: string): string {
  return String.fromCharCode(FIRST_SPELT + character.charCodeAt(0));
}

/** Character class of the private-use characters, for patterns. */
export const SPELT = '\\ue021-\\ue07e';
const ONLY_SPELT = new RegExp(`^[${SPELT}]+$`);

/** Returns the ASCII characters of a token of private-use characters; undefined for other tokens. */
export function speltCharacters(token: string): string | undefined {
  if (!ONLY_SPELT.test(token)) return undefined;
  return Array.from(token, (sign) => String.fromCharCode(sign.charCodeAt(0) - FIRST_SPELT)).join(
    '',
  );
}

/** Returns the names of letters, digits and signs, with a short pause after each. */
function spellOut(characters: string): string {
  const names: string[] = [];
  for (const character of characters.normalize('NFKD')) {
    const name = nameOf(character);
    if (name !== undefined) names.push(name);
  }
  return names.join(', ');
}

/** Rule for `[SPELL:BX42]`. */
export const SPELLING: SpokenForm = {
  pattern: new RegExp(`\\[SPELL:([^\\]\\n]{0,${MAX_SPELLED_LENGTH}})\\]`, 'gi'),
  say: (match) => setApart(match, spellOut(match[1] ?? '')),
};

function nameOf(character: string): string | undefined {
  if (/[A-Za-z]/.test(character)) return spelt(character.toUpperCase());
  if (/\d/.test(character)) return digitByDigit(character);
  return SIGN_NAMES.get(character);
}
