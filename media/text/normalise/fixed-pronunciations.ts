import type { AlignedText, TextEdit, TextRange } from '../aligned-text.js';

/** A part of a text whose pronunciation a dictionary fixes. */
export interface FixedPronunciation extends TextRange {
  /** The written text. */
  readonly text: string;
  /** In the alphabet of the voice. */
  readonly phonemes: string;
}

/**
 * In the normaliser, each such part is one private-use character, outside the range of `spelling.ts`.
 * `CLEANING` removes such characters from the caller's text first.
 */
const FIRST_PLACEHOLDER = 0xe100;
export const MAX_PLACEHOLDERS = 0x1000;
/** Character class of the placeholders, for patterns. */
export const PLACEHOLDERS = '\\ue100-\\uf0ff';
const PLACEHOLDER = new RegExp(`[${PLACEHOLDERS}]`, 'g');

/** Replaces each part with its placeholder. */
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

/** The part that a token is the placeholder of. */
export function pronunciationOf(
  token: string,
  parts: readonly FixedPronunciation[],
): FixedPronunciation | undefined {
  return token.length === 1 ? parts[token.charCodeAt(0) - FIRST_PLACEHOLDER] : undefined;
}

/** The token with the written text instead of placeholders. */
export function restorePlaceholders(token: string, parts: readonly FixedPronunciation[]): string {
  if (parts.length === 0) return token;
  return token.replace(PLACEHOLDER, (sign) => pronunciationOf(sign, parts)?.text ?? sign);
}
