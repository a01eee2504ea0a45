import type { SteppedTask } from '../async/cooperative.js';
import { splitIntoSentences } from './text-chunker.js';

/** A part of a document that an LLM can understand without the rest. */
export interface DocumentPassage {
  /** The titles above the passage, outermost first, separated by commas; empty without titles. */
  readonly title: string;
  /** Paragraphs, items and rows, one per line. Titles in the passage start with `#`. */
  readonly text: string;
}

/** Size of a passage in tokens: shorter sections are joined, longer ones are split. */
const MIN_CHUNK_TOKENS = 200;
const MAX_CHUNK_TOKENS = 400;
/** Maximum size of a unit in tokens; longer units are split between sentences. */
const UNIT = 100;
/** Maximum number of tokens of the previous passage that are repeated if a section is split. */
const OVERLAP = 50;
/** UTF-16 units; a longer line is text, not a title. */
const MAX_TITLE_LENGTH = 200;
const MAX_TITLES = 8;
const UNITS_AT_ONCE = 8;
/** UTF-16 units of a line or a paragraph that are processed in one step: more than a passage has. */
const CHARACTERS_AT_ONCE = 4_000;
/** UTF-16 units that are segmented at once. The time of a segmenter grows with the square of the length. */
const SEGMENTED_AT_ONCE = 2_000;

interface Unit {
  readonly text: string;
  readonly tokens: number;
  /** 1…7 for titles; 7 is a line in bold letters. */
  readonly level?: number;
}

/** Estimates the number of tokens of a text. The estimate is rarely below the tokeniser's number. */
export function estimateTokensOf(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(/[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu)) {
    tokens += WIDE.test(piece) ? piece.length : Math.ceil(piece.length / 7);
  }
  return tokens;
}

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/**
 * Splits a document into passages of 200–400 tokens at its paragraphs and sections, with the titles above them.
 * @param document - plain text or Markdown
 * @param language - ISO 639-1, for sentence ends; default: `en`
 */
export function* chunkDocument(document: string, language = 'en'): SteppedTask<DocumentPassage[]> {
  const maker = new PassageMaker();
  let count = 0;
  for (const unit of unitsOf(document, language, UNIT)) {
    maker.add(unit);
    if (++count % UNITS_AT_ONCE === 0) yield;
  }
  return maker.end();
}

/**
 * Splits a passage into parts that get one vector each: a vector of one topic gives better results than a
 * vector of several.
 * @param maxTokens - limit of the sentence model
 * @returns at least one part; each starts with the titles above the passage
 */
export function embeddingWindows({ title, text }: DocumentPassage, maxTokens: number): string[] {
  const above = cutTo(title, maxTokens / 4);
  const room = Math.max(8, maxTokens - estimateTokensOf(above));
  const windows: string[] = [];
  let words = '';
  let tokens = 0;
  const end = () => {
    if (/[\p{L}\p{N}]/u.test(words)) windows.push(above ? `${above}: ${words}` : words);
    words = '';
    tokens = 0;
  };
  const units = [...unitsOf(text, 'en', room)];
  const sum = units.reduce((all, unit) => all + unit.tokens, 0);
  // Parts of equal length, so that the last one is not very short.
  const fair = Math.min(room, Math.ceil(sum / Math.ceil(sum / room)) + 8);
  for (const unit of units) {
    if (tokens > 0 && tokens + unit.tokens > fair) end();
    words += `${words ? ' ' : ''}${spoken(unit)}`;
    tokens += unit.tokens;
  }
  end();
  return windows.length > 0 ? windows : [above || text.slice(0, 100)];
}

/** The text of a unit without list and table marks. */
function spoken({ text, level }: Unit): string {
  const plain = text.replace(/^(?:[-*•]|\d{1,3}[.)]|#{1,6}|\|)\s+/, '').replace(/\s*\|\s*/g, ', ');
  return level === undefined ? plain : `${plain}:`;
}

/** Collects units into passages. */
class PassageMaker {
  readonly #passages: DocumentPassage[] = [];
  /** The titles above the next unit, by their level. */
  #above: Unit[] = [];
  #units: Unit[] = [];
  /** The titles above each unit. */
  #paths: string[][] = [];
  #tokens = 0;
  /** Units that are repeated from the previous passage. */
  #repeated = 0;
  /** Consecutive titles without a text between them. */
  #titles = 0;

  add(next: Unit): void {
    // Many titles without a text count as text.
    const isText = this.#titles === MAX_TITLES && next.level !== undefined;
    const unit = isText ? { text: next.text, tokens: next.tokens } : next;
    if (unit.level !== undefined) {
      if (this.#tokens >= MIN_CHUNK_TOKENS) this.#close(false);
      this.#above = [...this.#above.filter(({ level }) => level! < unit.level!), unit];
    } else if (
      this.#units.length > this.#repeated &&
      this.#tokens + unit.tokens > MAX_CHUNK_TOKENS
    ) {
      this.#close(true);
    }
    this.#push(unit);
    this.#titles = unit.level === undefined ? 0 : this.#titles + 1;
  }

  end(): DocumentPassage[] {
    this.#close(false);
    return this.#passages;
  }

  #push(unit: Unit): void {
    this.#units.push(unit);
    this.#paths.push(this.#above.map(({ text }) => text));
    this.#tokens += unit.tokens;
  }

  #close(goesOn: boolean): void {
    const units = this.#units;
    const paths = this.#paths;
    // Titles at the end belong to the next passage.
    const waiting = takeTitles(units);
    const path = commonPath(paths.slice(0, units.length));
    const isNew = units.length > this.#repeated;
    if (isNew && units.some(({ level }) => level === undefined)) {
      const shown = units.filter(({ level, text }) => level === undefined || !path.includes(text));
      this.#passages.push({ title: path.join(', '), text: shown.map(written).join('\n') });
    }
    const again = goesOn && waiting.length === 0 && isNew ? lastWords(units) : undefined;
    this.#units = [];
    this.#paths = [];
    this.#tokens = 0;
    for (const unit of again ? [again] : waiting) this.#push(unit);
    this.#repeated = again ? 1 : 0;
  }
}

function takeTitles(units: Unit[]): Unit[] {
  const titles: Unit[] = [];
  while (units.at(-1)?.level !== undefined) titles.unshift(units.pop()!);
  return titles;
}

function commonPath(paths: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = paths;
  const differs = first.findIndex((title, i) => others.some((path) => path[i] !== title));
  return differs < 0 ? first : first.slice(0, differs);
}

function written({ text, level }: Unit): string {
  return level === undefined ? text : `${'#'.repeat(Math.min(level, 6))} ${text}`;
}

/** The end of a passage, which the next passage repeats; undefined if its last sentence is too long. */
function lastWords(units: readonly Unit[]): Unit | undefined {
  const last = units.at(-1);
  if (!last || last.level !== undefined) return undefined;
  if (last.tokens <= OVERLAP) return last;
  const sentences = splitIntoSentences(last.text.slice(-SEGMENTED_AT_ONCE));
  const text = sentences.length > 1 ? sentences.at(-1)! : '';
  const tokens = estimateTokensOf(text);
  return text !== '' && tokens <= OVERLAP ? { text, tokens } : undefined;
}

const TITLE = /^ {0,3}(#{1,6})\s+(\S.*?)[\s#:]*$/;
const BOLD = /^\*\*([^*]{1,200}?):?\*\*:?$/;
const TABLE_LINE = /^\|[\s|:-]*$/;
/** A line that starts a new unit: a title, an item or a table row. */
const ITEM = /^\s*(?:(?:[-*•]|\d{1,3}[.)])\s|\||(?:Q|A|Question|Answer):\s)/;

/** Titles, paragraphs, items and rows, none longer than a passage may be. */
function* unitsOf(document: string, language: string, maxTokens: number): Generator<Unit> {
  let paragraph: string[] = [];
  let length = 0;
  function* endParagraph(): Generator<Unit> {
    const text = paragraph.join(' ').replace(/\s+/g, ' ').trim();
    paragraph = [];
    length = 0;
    if (/[\p{L}\p{N}]/u.test(text)) yield* fitting(text, language, maxTokens);
  }
  for (const line of linesOf(document)) {
    const title = titleOf(line);
    if (title) {
      yield* endParagraph();
      yield title;
    } else if (line.trim() === '') yield* endParagraph();
    else if (TABLE_LINE.test(line.trim())) yield* endParagraph();
    else {
      if (length > CHARACTERS_AT_ONCE || ITEM.test(line)) yield* endParagraph();
      paragraph.push(line.trim());
      length += line.length;
    }
  }
  yield* endParagraph();
}

function* linesOf(text: string): Generator<string> {
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    for (; to - from > CHARACTERS_AT_ONCE; ) {
      const blank = text.lastIndexOf(' ', from + CHARACTERS_AT_ONCE);
      const cut = blank > from ? blank : from + CHARACTERS_AT_ONCE;
      yield text.slice(from, cut);
      from = cut;
    }
    yield text.slice(from, to).replace(/\r$/, '');
    from = to + 1;
  }
}

function titleOf(line: string): Unit | undefined {
  if (line.length > MAX_TITLE_LENGTH) return undefined;
  const marked = TITLE.exec(line);
  const text = (marked?.[2] ?? BOLD.exec(line.trim())?.[1])?.replace(/\*\*|__|`/g, '').trim();
  if (!text) return undefined;
  return { text, tokens: estimateTokensOf(text) + 1, level: marked ? marked[1]!.length : 7 };
}

/** Splits a text that is too long between sentences, or between words. */
function* fitting(text: string, language: string, maxTokens: number): Generator<Unit> {
  const plain = text
    .replace(/\[([^\][]{0,200})\]\([^()]{0,500}\)/g, '$1')
    .replace(/\*\*|__|`/g, '');
  const tokens = estimateTokensOf(plain);
  if (tokens <= maxTokens) {
    yield { text: plain, tokens };
    return;
  }
  let part = '';
  let filled = 0;
  for (const sentence of sentencesOf(plain, language, maxTokens)) {
    const more = estimateTokensOf(sentence);
    if (part !== '' && filled + more > maxTokens) {
      yield { text: part, tokens: filled };
      part = '';
      filled = 0;
    }
    part = part ? `${part} ${sentence}` : sentence;
    filled += more;
  }
  if (part !== '') yield { text: part, tokens: filled };
}

function* sentencesOf(text: string, language: string, maxTokens: number): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + SEGMENTED_AT_ONCE);
    const sentences = splitIntoSentences(text.slice(from, to), language);
    // The last sentence may continue after this position.
    if (to < text.length && sentences.length > 1) to = text.lastIndexOf(sentences.pop()!, to);
    for (const sentence of sentences) {
      if (estimateTokensOf(sentence) <= maxTokens) yield sentence;
      else yield* wordsUpTo(sentence, maxTokens);
    }
    from = Math.max(to, from + 1);
  }
}

function* wordsUpTo(text: string, maxTokens: number): Generator<string> {
  for (let rest = text; rest !== ''; ) {
    const part = cutTo(rest, maxTokens) || rest.slice(0, 1);
    yield part.trim();
    rest = rest.slice(part.length).trimStart();
  }
}

/** The start of a text, at most `maxTokens` tokens, split between words if possible. */
function cutTo(text: string, maxTokens: number): string {
  if (estimateTokensOf(text) <= maxTokens) return text;
  let to = 0;
  let tokens = 0;
  for (const { 0: piece, index } of text.matchAll(/\s+|\S{1,7}/g)) {
    tokens += estimateTokensOf(piece);
    if (tokens > maxTokens) break;
    to = index + piece.length;
  }
  to = Math.max(1, to);
  const blank = text.lastIndexOf(' ', to);
  return text.slice(0, blank > to / 2 ? blank : to);
}
