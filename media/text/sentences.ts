import { SentenceBoundary } from './sentence-boundary.js';

/** A part of a text; half-open UTF-16 indexes. */
export interface TextSpan {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface SentenceOptions {
  /** ISO 639-1; decides what a full stop may mean. */
  readonly language: string;
  /** Shorter sentences wait for the next one, but for the first. */
  readonly minLength: number;
}

/** No piece is longer, so that the 400 phonemes that a voice takes at once are enough for prose. */
export const MAX_CHUNK_LENGTH = 300;
/** Later pieces end with a sentence; a clause is enough only when they have grown this long. */
const LONG_PIECE = 160;
/** A first piece may be a clause, but no single word: "Well," alone sounds like an answer. */
const SHORTEST_CLAUSE = 10;
const SAYABLE = /[\p{L}\p{N}]/u;

/**
 * Cuts a text that arrives in tokens into pieces to speak: the first as soon as a sentence or a
 * clause has ended, later ones by sentences. The pieces are the same however the text is cut into
 * tokens, and joined they are the text (but for white space at its end).
 */
export class SentenceStream {
  readonly #finder: SentenceBoundary;
  readonly #minLength: number;
  #pending = '';
  /** Up to here `#pending` has been judged. */
  #judged = 0;
  #isFirst = true;

  constructor(options: SentenceOptions) {
    this.#finder = new SentenceBoundary(options.language);
    this.#minLength = options.minLength;
  }

  /** The pieces that the token completes. */
  push(token: string): string[] {
    this.#pending += token;
    return this.#take(false);
  }

  /** What is left, at once; afterwards a new text may begin. */
  flush(): string[] {
    const pieces = this.#take(true);
    const rest = this.#pending;
    this.#pending = '';
    this.#judged = 0;
    this.#isFirst = true;
    return rest.trim() === '' ? pieces : [...pieces, rest];
  }

  #take(isWhole: boolean): string[] {
    const pieces: string[] = [];
    while (this.#judged < this.#pending.length) {
      const verdict = this.#finder.judge(this.#pending, this.#judged, isWhole);
      if (verdict.type === 'wait') break;
      if (verdict.type === 'none') {
        this.#judged++;
      } else if (verdict.type === 'skip' || !this.#isEnough(verdict.type, verdict.end)) {
        this.#judged = Math.max(verdict.end, this.#judged + 1);
      } else {
        pieces.push(this.#cut(verdict.end));
      }
      if (this.#judged >= MAX_CHUNK_LENGTH) pieces.push(this.#cut(lastBreak(this.#pending)));
    }
    return pieces;
  }

  #isEnough(type: 'sentence' | 'clause', end: number): boolean {
    const piece = this.#pending.slice(0, end);
    if (!SAYABLE.test(piece)) return false;
    const { length } = piece.trim();
    if (type === 'sentence') return this.#isFirst || length >= this.#minLength;
    return length >= (this.#isFirst ? Math.min(SHORTEST_CLAUSE, this.#minLength) : LONG_PIECE);
  }

  #cut(end: number): string {
    const piece = this.#pending.slice(0, end);
    this.#pending = this.#pending.slice(end);
    this.#judged = 0;
    this.#isFirst = false;
    return piece;
  }
}

/** Longest stretch without an end of a sentence that is handed on at once. */
const MAX_HELD_LENGTH = 10_000;
/** What would follow if the sentence had ended. */
const NEXT_SENTENCE = ' The';

/**
 * Holds a text that comes in pieces until a sentence has ended. What it hands on is the same however
 * the text is cut, and joined it is the text.
 */
export class SentenceHold {
  readonly #finder: SentenceBoundary;
  #pending = '';
  /** Up to here `#pending` has been judged. */
  #judged = 0;

  /** @param language ISO 639-1; decides what a full stop may mean. */
  constructor(language: string) {
    this.#finder = new SentenceBoundary(language);
  }

  /** The sentences that are complete now, in one text; empty when there is none. */
  push(text: string): string {
    this.#pending += text;
    let end = 0;
    while (this.#judged < this.#pending.length) {
      const verdict = this.#finder.judge(this.#pending, this.#judged, false);
      if (verdict.type === 'wait') break;
      if (verdict.type === 'sentence') end = verdict.end;
      const next = verdict.type === 'none' ? 0 : verdict.end;
      this.#judged = Math.max(next, this.#judged + 1);
    }
    return this.#cut(end);
  }

  /**
   * The same when the text has paused: a full stop at its very end is now taken for one, unless an
   * abbreviation or a number goes on behind such stops.
   */
  settle(): string {
    const said = this.#pending.trimEnd();
    let at = this.#judged;
    while (at < said.length) {
      const verdict = this.#finder.judge(said + NEXT_SENTENCE, at, false);
      if (verdict.type === 'sentence' && verdict.end >= said.length) {
        return this.#cut(this.#pending.length);
      }
      at = Math.max(verdict.type === 'none' || verdict.type === 'wait' ? 0 : verdict.end, at + 1);
    }
    return '';
  }

  /** What is left, in parts that a voice takes. */
  flush(): string[] {
    return splitLong(this.#cut(this.#pending.length), MAX_HELD_LENGTH);
  }

  #cut(end: number): string {
    const ready = this.#pending.slice(0, end);
    this.#pending = this.#pending.slice(end);
    this.#judged = Math.max(0, this.#judged - end);
    return ready;
  }
}

/** The sentences of a whole text, without the white space around them; none is longer than a voice takes. */
export function splitSentences(text: string, language: string): TextSpan[] {
  return [...eachSentence(text, language)];
}

/** The same, one by one: who speaks them looks no farther into a long text than it has come. */
export function* eachSentence(text: string, language: string): Generator<TextSpan> {
  const finder = new SentenceBoundary(language);
  let start = 0;
  for (let at = 0; at < text.length; ) {
    const verdict = finder.judge(text, at, true);
    if (verdict.type === 'sentence') {
      yield* longSpans(text, start, verdict.end);
      start = verdict.end;
    }
    at =
      verdict.type === 'none' || verdict.type === 'wait' ? at + 1 : Math.max(verdict.end, at + 1);
  }
  yield* longSpans(text, start, text.length);
}

/** Cuts a text that is too long at clauses, else between words, else anywhere. */
export function splitLong(text: string, maxLength: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > maxLength) {
    const end = lastBreak(rest, maxLength);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...pieces, rest];
}

function* longSpans(text: string, start: number, end: number): Generator<TextSpan> {
  let at = start;
  for (const piece of splitLong(text.slice(start, end), MAX_CHUNK_LENGTH)) {
    const from = at + piece.length - piece.trimStart().length;
    at += piece.length;
    const said = piece.trim();
    if (said !== '') yield { text: said, start: from, end: from + said.length };
  }
}

/** The best place to cut within the first `maxLength` characters; never inside a character. */
function lastBreak(text: string, maxLength = MAX_CHUNK_LENGTH): number {
  const head = text.slice(0, maxLength);
  const least = Math.floor(maxLength / 3);
  for (const mark of [/[,;:،；：，、—–](?=\s|$)|[，、；：]/g, /(?=\s)/g]) {
    let last = 0;
    for (const match of head.matchAll(mark)) last = match.index + match[0].length;
    if (last > least) return last;
  }
  const isInside = /[\ud800-\udbff]/.test(text[maxLength - 1] ?? '');
  return Math.max(1, isInside ? maxLength - 1 : maxLength);
}
