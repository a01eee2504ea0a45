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
export interface EspeakPiece {
  readonly text: string;
  /** UTF-16 index in the normalised text. */
  readonly start: number;
}

/**
 * Normalises a text for the engine: no markup or emoji, and all in words.
 * @param fixed - parts with a fixed pronunciation, in the engine's phoneme mnemonics
 */
export function espeakTextOf(
  text: string,
  language: string,
  fixed: readonly FixedPronunciation[] = [],
): AlignedText {
  const normalised = normaliserOf(language)?.normalise(text, fixed) ?? speechTextOf(text, language);
  const words = normalised.rewrite(MARKUP);
  if (fixed.length === 0) return words;
  return words.rewrite({
    pattern: new RegExp(`[${PLACEHOLDERS}]`, 'g'),
    say: ([sign]) => `[[${pronunciationOf(sign, fixed)?.phonemes ?? ''}]]`,
  });
}

/**
 * Splits a normalised text at clauses, but not inside the expansion of one written word. The first piece
 * is short. Pieces without speakable text are omitted.
 */
export function piecesOf(normalised: AlignedText): EspeakPiece[] {
  const pieces: EspeakPiece[] = [];
  let start = 0;
  for (const clause of clausesOf(normalised)) {
    for (const text of splitLong(clause, MAX_TEXT_LENGTH)) {
      if (SAYABLE.test(text)) pieces.push({ text, start });
      start += text.length;
    }
  }
  return pieces;
}

function* clausesOf(normalised: AlignedText): Generator<string> {
  const { text } = normalised;
  let start = 0;
  for (const { index } of text.matchAll(CLAUSE_END)) {
    const minimum = start === 0 ? MIN_FIRST_LENGTH : MIN_LENGTH;
    if (index + 1 - start < minimum || isInsideWord(normalised, index)) continue;
    yield text.slice(start, index + 1);
    start = index + 1;
  }
  yield text.slice(start);
}

/** Whether the text around a punctuation mark comes from one written word. */
function isInsideWord(normalised: AlignedText, mark: number): boolean {
  if (mark + 3 > normalised.text.length) return false;
  const before = normalised.origin(mark, mark + 1);
  return normalised.origin(mark + 2, mark + 3).textStart < before.textEnd;
}
