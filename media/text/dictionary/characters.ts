const WORD_CHARACTER = /^[\p{L}\p{M}\p{N}]/u;
/** A letter that folds to itself, although its capital is also that of i. Source: Unicode, CaseFolding.txt. */
const DOTLESS_I = 'ı';

const folds = new Map<string, string>();
const MAX_FOLDS = 10_000;

/** Whether a character is a letter, mark or digit. Adjacent ones belong to one word. */
export function isWordCharacter(character: string): boolean {
  const code = character.charCodeAt(0);
  if (code < 0x80) {
    return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || isDigit(code);
  }
  return WORD_CHARACTER.test(character);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Applies full case folding to a character: ß becomes ss. */
export function foldedCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x80) return code >= 0x41 && code <= 0x5a ? character.toLowerCase() : character;
  const known = folds.get(character);
  if (known !== undefined) return known;
  const folded = foldCharacter(character);
  if (folds.size < MAX_FOLDS) folds.set(character, folded);
  return folded;
}

/** Folds by way of the upper case, so that ς becomes σ and ſ becomes s. */
function foldCharacter(character: string): string {
  if (character === DOTLESS_I) return character;
  let folded = '';
  // Each character on its own, because a final Σ in a word would become ς.
  for (const part of character.toLowerCase().toUpperCase()) folded += part.toLowerCase();
  return folded;
}
