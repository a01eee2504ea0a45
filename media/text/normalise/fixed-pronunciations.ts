import type { AlignedText, TextEdit, TextRange } from '../aligned-text.js';

/** A part of a text whose pronunciation a dictionary fixes. */
export interface FixedPronunciation extends TextRange {
  /** The written text. */
  readonly text: string;
  /** The pronunciation in the phoneme alphabet of the voice. */
  readonly phonemes: string;
}

/**
 * In the normaliser, each part is replaced by one private-use character, outside the range of `spelling.ts`.
 * `CLEANING` removes private-use characters from the written text before.
 */
const FIRST_PLACEHOLDER = 0xe100;
/** Maximum number of parts in a text. */
export const MAX_PLACEHOLDERS = 0x1000;
/** Character class of the placeholders, for patterns. */
export const PLACEHOLDERS = '\\ue100-\\uf0ff';
const PLACEHOLDER = new RegExp(`[${PLACEHOLDERS}]`, 'g');

/** Replaces each part with its placeholder. @param parts - in order, at most `MAX_PLACEHOLDERS` */
export function insertPlaceholders(
  text: AlignedText,
  parts: readonly FixedPronunciation[],
): AlignedText {
  const edits: TextEdit[] = [];
  let from = 0;
  for (const [index, part] of parts.entries()) {
    const place = text.placeOf(part, from);
    if (!place) continue;
    from = place.textEnd;
    const placeholder = String.fromCharCode(FIRST_PLACEHOLDER + index);
    edits.push({ text: placeholder, start: place.textStart, end: place.textEnd });
  }
  return text.replace(edits);
}

/** Returns the part whose placeholder the token is; undefined for other tokens. */
export function pronunciationOf(
  token: string,
  parts: readonly FixedPronunciation[],
): FixedPronunciation | undefined {
  return token.length === 1 ? parts[token.charCodeAt(0) - FIRST_PLACEHOLDER] : undefined;
}

/** Replaces the placeholders in a token with the written text. */
export function restorePlaceholders(token: string, parts: readonly FixedPronunciation[]): string {
  if (parts.length === 0) return token;
  return token.replace(PLACEHOLDER, (sign) => pronunciationOf(sign, parts)?.text ?? sign);
}
