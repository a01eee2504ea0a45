import { SentenceBoundary } from './sentence-boundary.js';

/** A part of a text; half-open UTF-16 indexes. */
export interface SentenceSpan {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Language and minimum length of sentences. */
export interface SentenceOptions {
  /** ISO 639-1; decides which full stops belong to abbreviations. */
  readonly language: string;
  /** Minimum length in UTF-16 units. A shorter sentence is joined to the next one, except the first. */
  readonly minLength: number;
}

/**
 * Maximum length of a chunk in UTF-16 units. Prose of this length has fewer than the 400 phonemes that a voice
 * accepts.
 */
export const MAX_CHUNK_LENGTH = 300;
/** Minimum length in UTF-16 units of a later chunk that ends with a clause. */
const MIN_LATER_CLAUSE_LENGTH = 160;
/** Minimum length in UTF-16 units of a first chunk that ends with a clause: "Well," alone sounds like an answer. */
const MIN_FIRST_CLAUSE_LENGTH = 10;
/** Maximum length in UTF-16 units of the parts of an unfinished sentence that `SentenceBuffer.flush` returns. */
const MAX_BUFFERED_LENGTH = 10_000;
/** Added to a text that has paused, to judge whether its last full stop ends a sentence. */
const NEXT_SENTENCE = ' The';
const SPEAKABLE = /[\p{L}\p{N}]/u;

/** Whether a text has a letter or digit. */
export function isSpeakable(text: string): boolean {
  return SPEAKABLE.test(text);
}

/**
 * Splits a text that arrives in tokens into chunks for a voice, each at most `MAX_CHUNK_LENGTH` long. The first
 * chunk ends with a sentence or clause, later ones with a sentence or a long clause. The chunks do not depend
 * on the tokens. Joined, they are the text without the white space at its end.
 */
export class SentenceStream {
  readonly #boundary: SentenceBoundary;
  readonly #minLength: number;
  #pending = '';
  /** `#pending` is scanned up to this index. */
  #scanned = 0;
  #isFirst = true;

  constructor(options: SentenceOptions) {
    this.#boundary = new SentenceBoundary(options.language);
    this.#minLength = options.minLength;
  }

  /** @returns the chunks that the token completes */
  push(token: string): string[] {
    this.#pending += token;
    return this.#scan(false);
  }

  /** Ends the text. The next `push` starts a new one. @returns the remaining chunks */
  flush(): string[] {
    const chunks = this.#scan(true);
    const rest = this.#pending;
    this.#pending = '';
    this.#scanned = 0;
    this.#isFirst = true;
    return rest.trim() === '' ? chunks : [...chunks, rest];
  }

  #scan(isWhole: boolean): string[] {
    const chunks: string[] = [];
    for (;;) {
      const found = this.#boundary.next(this.#pending, this.#scanned, isWhole, MAX_CHUNK_LENGTH);
      this.#scanned = found.resumeAt;
      if (found.type !== 'none' && this.#isEnough(found.type, found.end)) {
        chunks.push(this.#cut(found.end));
      } else if (this.#scanned >= MAX_CHUNK_LENGTH) {
        chunks.push(this.#cut(lastBreak(this.#pending)));
      } else if (found.type === 'none') return chunks;
    }
  }

  #isEnough(type: 'sentence' | 'clause', end: number): boolean {
    const chunk = this.#pending.slice(0, end);
    if (!isSpeakable(chunk)) return false;
    const { length } = chunk.trim();
    if (type === 'sentence') return this.#isFirst || length >= this.#minLength;
    const minFirst = Math.min(MIN_FIRST_CLAUSE_LENGTH, this.#minLength);
    return length >= (this.#isFirst ? minFirst : MIN_LATER_CLAUSE_LENGTH);
  }

  #cut(end: number): string {
    const chunk = this.#pending.slice(0, end);
    this.#pending = this.#pending.slice(end);
    this.#scanned = 0;
    this.#isFirst = false;
    return chunk;
  }
}

/**
 * Buffers a text that arrives in parts until a sentence has ended. Joined, the output is the text; its
 * sentences do not depend on the parts.
 */
export class SentenceBuffer {
  readonly #boundary: SentenceBoundary;
  #pending = '';
  /** `#pending` is scanned up to this index. */
  #scanned = 0;

  /** @param language - ISO 639-1; decides which full stops belong to abbreviations */
  constructor(language: string) {
    this.#boundary = new SentenceBoundary(language);
  }

  /** Adds a part. @returns the sentences that are now complete, in one text; empty if there are none */
  push(text: string): string {
    this.#pending += text;
    let end = 0;
    for (;;) {
      const found = this.#boundary.next(this.#pending, this.#scanned, false);
      this.#scanned = found.resumeAt;
      if (found.type === 'none') return this.#cut(end);
      if (found.type === 'sentence') end = found.end;
    }
  }

  /**
   * Like `push`, for a text that has paused: a full stop at its end ends a sentence, unless an abbreviation
   * or number before it usually continues.
   */
  settle(): string {
    const text = this.#pending.trimEnd();
    for (let at = this.#scanned; at < text.length; ) {
      const found = this.#boundary.next(text + NEXT_SENTENCE, at, false, text.length);
      if (found.type === 'sentence' && found.end >= text.length) {
        return this.#cut(this.#pending.length);
      }
      at = found.type === 'none' ? found.resumeAt + 1 : found.resumeAt;
    }
    return '';
  }

  /** Ends the text. @returns the rest, in parts of at most 10,000 UTF-16 units */
  flush(): string[] {
    return splitLong(this.#cut(this.#pending.length), MAX_BUFFERED_LENGTH);
  }

  #cut(end: number): string {
    const ready = this.#pending.slice(0, end);
    this.#pending = this.#pending.slice(end);
    this.#scanned = Math.max(0, this.#scanned - end);
    return ready;
  }
}

/**
 * Splits a complete text into sentences without surrounding white space, each at most `MAX_CHUNK_LENGTH` long.
 * @param language - ISO 639-1
 */
export function splitSentences(text: string, language: string): SentenceSpan[] {
  return [...eachSentence(text, language)];
}

/** Like `splitSentences`, but scans the text only as far as the sentences are pulled. */
export function* eachSentence(text: string, language: string): Generator<SentenceSpan> {
  const boundary = new SentenceBoundary(language);
  let start = 0;
  for (let at = 0; at < text.length; ) {
    const found = boundary.next(text, at, true);
    if (found.type === 'sentence') {
      yield* longSpans(text, start, found.end);
      start = found.end;
    }
    at = found.resumeAt;
  }
  yield* longSpans(text, start, text.length);
}

/**
 * Splits a text at clauses, otherwise between words, otherwise anywhere.
 * @param maxLength - of a part, in UTF-16 units
 */
export function splitLong(text: string, maxLength: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > maxLength) {
    const end = lastBreak(rest, maxLength);
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...parts, rest];
}

function* longSpans(text: string, start: number, end: number): Generator<SentenceSpan> {
  let at = start;
  for (const part of splitLong(text.slice(start, end), MAX_CHUNK_LENGTH)) {
    const from = at + part.length - part.trimStart().length;
    at += part.length;
    const trimmed = part.trim();
    if (trimmed !== '') yield { text: trimmed, start: from, end: from + trimmed.length };
  }
}

/** Returns the best index to split at within the first `maxLength` units; never inside a surrogate pair. */
function lastBreak(text: string, maxLength = MAX_CHUNK_LENGTH): number {
  const head = text.slice(0, maxLength);
  const min = Math.floor(maxLength / 3);
  for (const mark of [/[,;:،；：，、—–](?=\s|$)|[，、；：]/g, /(?=\s)/g]) {
    let last = 0;
    for (const match of head.matchAll(mark)) last = match.index + match[0].length;
    if (last > min) return last;
  }
  const isInside = /[\ud800-\udbff]/.test(text[maxLength - 1] ?? '');
  return Math.max(1, isInside ? maxLength - 1 : maxLength);
}
