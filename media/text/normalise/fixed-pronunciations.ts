import type { AlignedText, TextEdit, TextRange } from '../aligned-text.js';

/** A part of a text whose sound a dictionary has settled. */
export interface SettledWord extends TextRange {
  /** As it is written, for who wants to know what kind of word it is. */
  readonly text: string;
  readonly phonemes: string;
}

/**
 * Such parts travel through the normaliser as private-use characters, one each, beyond those of
 * spelling.ts. Such characters in the caller's text are dropped first.
 */
const FIRST_SIGN = 0xe100;
export const MAX_SIGNS = 0x1000;
/** Class of these characters, for patterns. */
export const SETTLED = '\\ue100-\\uf0ff';
const SIGN = new RegExp(`[${SETTLED}]`, 'g');

/** Puts a sign in the place of each settled word. */
export function withSigns(text: AlignedText, words: readonly SettledWord[]): AlignedText {
  const edits: TextEdit[] = [];
  let from = 0;
  for (const [index, word] of words.entries()) {
    const place = text.placeOf(word, from);
    if (!place) continue;
    from = place.textEnd;
    const sign = String.fromCharCode(FIRST_SIGN + index);
    edits.push({ text: sign, start: place.textStart, end: place.textEnd });
  }
  return text.replace(edits);
}

/** The word for which a token is the sign. */
export function settledBy(token: string, words: readonly SettledWord[]): SettledWord | undefined {
  return token.length === 1 ? words[token.charCodeAt(0) - FIRST_SIGN] : undefined;
}

/** The token as it was written. */
export function withoutSigns(token: string, words: readonly SettledWord[]): string {
  if (words.length === 0) return token;
  return token.replace(SIGN, (sign) => settledBy(sign, words)?.text ?? sign);
}
