import type { AlignedText, SpokenForm } from '../../text/aligned-text.js';
import {
  type FixedPronunciation,
  PLACEHOLDERS,
  pronunciationOf,
} from '../../text/normalise/fixed-pronunciations.js';
import { normaliserOf } from '../../text/normalise/registry.js';
import { splitLong } from '../../text/sentences.js';
import { speechTextOf } from '../../text/speech-text.js';

/** Characters that the engine would read as markup or phoneme mnemonics. */
const MARKUP: SpokenForm = { pattern: /[<>[\]{}|\\^`]/g, say: () => ' ' };

/** Minimum lengths in characters. The first piece is short, so that its audio starts early. */
const MIN_FIRST_LENGTH = 12;
const MIN_LENGTH = 60;
const MAX_TEXT_LENGTH = 200;
const CLAUSE_END = /[,;:–—](?=\s)/g;
const SAYABLE = /[\p{L}\p{N}%&+=€$£@#°§]/u;

/** A part of a normalised text that the engine speaks in one request. */
export interface EspeakTextChunk {
  readonly text: string;
  /** UTF-16 index in the normalised text. */
  readonly start: number;
}

/**
 * Normalises a text for the engine: no markup or emoji, and all in words.
 * @param settled - parts with a fixed pronunciation, in the engine's phoneme mnemonics
 */
export function espeakTextOf(
  text: string,
  language: string,
  settled: readonly FixedPronunciation[] = [],
): AlignedText {
  const normalised =
    normaliserOf(language)?.normalise(text, settled) ?? speechTextOf(text, language);
  const words = normalised.rewrite(MARKUP);
  if (settled.length === 0) return words;
  return words.rewrite({
    pattern: new RegExp(`[${PLACEHOLDERS}]`, 'g'),
    say: ([sign]) => `[[${pronunciationOf(sign, settled)?.phonemes ?? ''}]]`,
  });
}

/**
 * Splits a normalised text at clauses, but not inside the expansion of one written word. The first piece
 * is short. Pieces without anything to speak are left out.
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
    const minimum = start === 0 ? MIN_FIRST_LENGTH : MIN_LENGTH;
    if (index + 1 - start < minimum || isInsideWord(reading, index)) continue;
    yield text.slice(start, index + 1);
    start = index + 1;
  }
  yield text.slice(start);
}

/** Whether the text around a punctuation mark comes from one written word. */
function isInsideWord(reading: AlignedText, mark: number): boolean {
  if (mark + 3 > reading.text.length) return false;
  const before = reading.origin(mark, mark + 1);
  return reading.origin(mark + 2, mark + 3).textStart < before.textEnd;
}
