import type { SpokenForm } from './aligned-text.js';

const COMMON_ASCII = /^[\x20-\x7e]*$/;

/** Whether the text is printable ASCII, which needs no cleaning. */
export function isPlain(text: string): boolean {
  return COMMON_ASCII.test(text);
}

/** Rules that remove characters that no voice can speak: invalid and control characters, stacked accents, emoji. */
export const CLEANING: readonly SpokenForm[] = [
  // Lone surrogates, private use (placeholders are inserted later), unassigned
  { pattern: /[\p{Cs}\p{Co}\p{Cn}]+/gu, say: () => ' ' },
  // Soft hyphens, zero-width and direction marks
  { pattern: /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+/g, say: () => '' },
  { pattern: /(?:(?![\n\t])[\p{Cc}\p{Cf}])+/gu, say: () => ' ' },
  { pattern: /(?<=\p{M}{2})\p{M}+/gu, say: () => '' },
  { pattern: /\P{M}\p{M}+/gu, say: ([found]) => found.normalize('NFC') },
  {
    pattern:
      /(?:\p{Extended_Pictographic}|\p{Regional_Indicator}|[\u20e3\ufe0f]|\p{Emoji_Modifier})+/gu,
    say: emojiOrSign,
  },
  // Raised letters: "Mᵐᵉ", "3ᵉʳ"
  { pattern: /(?<=[\p{L}\d.])[ᵃ-ᵛʰʲʳʷʸˡˢˣⁿ]+/gu, say: ([found]) => found.normalize('NFKC') },
  { pattern: /\p{Nd}/gu, say: asciiDigit },
  { pattern: /’/g, say: () => "'" },
  { pattern: /[‐‑‒]/g, say: () => '-' },
  { pattern: /―/g, say: () => '—' },
];

/** Rules that replace each run of white space with one space and trim the text. */
export const SPACING: readonly SpokenForm[] = [
  { pattern: /\s{2,}|[^\S ]/g, say: () => ' ' },
  { pattern: /^ | $/g, say: () => '' },
];

/** Removes the space in "Well , yes". */
export const NO_SPACE_BEFORE_MARKS: SpokenForm = {
  pattern: /(?<! ) (?=[,.;:!?](?!\d))/g,
  say: () => '',
};

/** Keeps ©, ® and ™, which are pictographs with spoken names. */
function emojiOrSign([found]: RegExpExecArray): string | undefined {
  return /^[©®™]+$/.test(found) ? undefined : ' ';
}

const DIGIT_FORMS = /^[0-9]$/;

function asciiDigit([digit]: RegExpExecArray): string | undefined {
  if (DIGIT_FORMS.test(digit)) return undefined;
  // Unicode has decimal digits in blocks of ten that start with 0.
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String(code - zero);
}
