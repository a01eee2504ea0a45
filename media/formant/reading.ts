import { splitLong } from '../tts/sentences.js';
import { speakable } from '../tts/speakable.js';
import type { SpokenForm, TracedText } from '../tts/traced-text.js';

/** Longest `[SPELL:…]`. */
const LONGEST_SPELLING = 200;
/** What the engine would take for markup or for phonemes of its own. */
const NO_MARKUP: SpokenForm = { pattern: /[<>[\]{}|\\^`]/g, say: () => ' ' };
/** Each character stands alone, so that the engine says its name. */
const SPELLING: SpokenForm = {
  pattern: new RegExp(`\\[SPELL:([^\\]\\n]{0,${LONGEST_SPELLING}})\\]`, 'gi'),
  say: ([, characters = '']) => ` ${[...characters.replace(/\s+/g, '')].join(' ').toUpperCase()} `,
};

/** A first piece is a clause of a few words; later ones are longer, as one is made while one is heard. */
const SHORTEST_FIRST = 12;
const SHORTEST = 60;
const LONGEST = 200;
const CLAUSE_END = /[,;:–—](?=\s)/g;
const SAYABLE = /[\p{L}\p{N}%&+=€$£@#°§]/u;

/** A part of a reading that is spoken in one go. */
export interface ReadingPiece {
  readonly text: string;
  /** UTF-16 index in the reading. */
  readonly start: number;
}

/**
 * A text as the engine may have it: no markup or emoji, addresses in words, `[SPELL:…]` character by
 * character. Numbers and abbreviations stay: the engine knows those of its languages.
 */
export function readingOf(text: string, language: string): TracedText {
  return speakable(text, language).rewrite(SPELLING).rewrite(NO_MARKUP);
}

/** Cuts a reading at clauses, the first piece early; what has no sound in it is left out. */
export function piecesOf(reading: string): ReadingPiece[] {
  const pieces: ReadingPiece[] = [];
  let start = 0;
  for (const clause of clausesOf(reading)) {
    for (const text of splitLong(clause, LONGEST)) {
      if (SAYABLE.test(text)) pieces.push({ text, start });
      start += text.length;
    }
  }
  return pieces;
}

function* clausesOf(reading: string): Generator<string> {
  let start = 0;
  for (const { index } of reading.matchAll(CLAUSE_END)) {
    const least = start === 0 ? SHORTEST_FIRST : SHORTEST;
    if (index + 1 - start < least) continue;
    yield reading.slice(start, index + 1);
    start = index + 1;
  }
  yield reading.slice(start);
}
