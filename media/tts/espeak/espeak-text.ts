import type { AlignedText, SpokenForm } from '../../text/aligned-text.js';
import {
  type FixedPronunciation,
  PLACEHOLDERS,
  pronunciationOf,
} from '../../text/normalise/fixed-pronunciations.js';
import { normaliserOf } from '../../text/normalise/registry.js';
import { splitLong } from '../../text/sentences.js';
import { speechTextOf } from '../../text/speech-text.js';

/** What the engine would take for markup or for phonemes of its own. */
const NO_MARKUP: SpokenForm = { pattern: /[<>[\]{}|\\^`]/g, say: () => ' ' };

/** A first piece is a clause of a few words; later ones are longer, as one is made while one is heard. */
const SHORTEST_FIRST = 12;
const SHORTEST = 60;
const MAX_TEXT_LENGTH = 200;
const CLAUSE_END = /[,;:–—](?=\s)/g;
const SAYABLE = /[\p{L}\p{N}%&+=€$£@#°§]/u;

/** A part of a reading that is spoken in one go. */
export interface EspeakTextChunk {
  readonly text: string;
  /** UTF-16 index in the reading. */
  readonly start: number;
}

/**
 * A text as the engine may have it: no markup or emoji, and all in words.
 * @param settled parts that are said as they are transcribed, in the engine's own phonemes.
 */
export function espeakTextOf(
  text: string,
  language: string,
  settled: readonly FixedPronunciation[] = [],
): AlignedText {
  const normalised =
    normaliserOf(language)?.normalise(text, settled) ?? speechTextOf(text, language);
  const words = normalised.rewrite(NO_MARKUP);
  if (settled.length === 0) return words;
  return words.rewrite({
    pattern: new RegExp(`[${PLACEHOLDERS}]`, 'g'),
    say: ([sign]) => `[[${pronunciationOf(sign, settled)?.phonemes ?? ''}]]`,
  });
}

/**
 * Cuts a reading at clauses, the first piece early, but not inside what stands for one written word;
 * what has no sound in it is left out.
 */
export function piecesOf(reading: AlignedText): EspeakTextChunk[] {
  const pieces: EspeakTextChunk[] = [];
  let start = 0;
  for (const clause of clausesOf(reading)) {
    for (const text of splitLong(clause, MAX_TEXT_LENGTH)) {
      if (SAYABLE.test(text)) pieces.push({ text, start });
      start += text.length;
    }
  }
  return pieces;
}

function* clausesOf(reading: AlignedText): Generator<string> {
  const { text } = reading;
  let start = 0;
  for (const { index } of text.matchAll(CLAUSE_END)) {
    const least = start === 0 ? SHORTEST_FIRST : SHORTEST;
    if (index + 1 - start < least || isInsideWord(reading, index)) continue;
    yield text.slice(start, index + 1);
    start = index + 1;
  }
  yield text.slice(start);
}

/** Whether what stands before and behind a mark was written as one. */
function isInsideWord(reading: AlignedText, mark: number): boolean {
  if (mark + 3 > reading.text.length) return false;
  const before = reading.origin(mark, mark + 1);
  return reading.origin(mark + 2, mark + 3).textStart < before.textEnd;
}
