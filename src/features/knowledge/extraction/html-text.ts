import { Parser } from 'htmlparser2';
import { runToEnd, type SteppedTask } from '../../../../media/async/cooperative.js';
import {
  type ExtractedText,
  type ExtractionLimits,
  tooLong,
  UnreadableDocument,
} from './extraction.js';

/** Elements without readable text. */
const SKIPPED = new Set(
  'script style noscript template svg math iframe object head nav footer select button textarea'.split(
    ' ',
  ),
);
const BLOCKS = new Set(
  'p div section article header main aside blockquote ul ol dl dt dd figure figcaption address pre table thead tbody form fieldset hr details summary'.split(
    ' ',
  ),
);
/** The parser is quadratic in the depth. Pages have a depth of a few dozen. */
const DEEPEST = 2_000;
const HEADING = /^h([1-6])$/;

/** Collects a page's text with its structure from a stream of tags. */
class TextWriter {
  readonly #limits: ExtractionLimits;
  readonly #blocks: string[] = [];
  #length = 0;
  #mark = '';
  #words = '';
  #skipped = 0;
  #depth = 0;
  #isInTitle = false;
  #cells: string[] | undefined;
  #hasHeaderCells = false;
  title = '';

  constructor(limits: ExtractionLimits) {
    this.#limits = limits;
  }

  get text(): string {
    return this.#blocks.join('\n');
  }

  open(name: string): void {
    if (++this.#depth > DEEPEST) {
      throw new UnreadableDocument('The elements of the page are nested too deeply');
    }
    if (name === 'title' && this.title === '') this.#isInTitle = true;
    if (SKIPPED.has(name)) this.#skipped++;
    if (this.#skipped > 0) return;
    const heading = HEADING.exec(name);
    if (heading) this.#begin(`\n${'#'.repeat(Number(heading[1]))} `);
    else if (name === 'li') this.#begin('- ');
    else if (name === 'tr') this.#beginRow();
    else if (name === 'td' || name === 'th') this.#beginCell(name);
    else if (name === 'br') this.#words += '\n';
    else if (BLOCKS.has(name) && this.#cells === undefined) this.#begin('\n');
  }

  close(name: string): void {
    this.#depth--;
    if (name === 'title') this.#isInTitle = false;
    if (SKIPPED.has(name)) {
      this.#skipped = Math.max(0, this.#skipped - 1);
      return;
    }
    if (this.#skipped > 0) return;
    if (name === 'tr' || name === 'table') this.endRow();
    else if (HEADING.test(name) || name === 'li' || BLOCKS.has(name)) {
      if (this.#cells === undefined) this.#begin('\n');
    }
  }

  words(text: string): void {
    if (this.#isInTitle) {
      if (this.title.length < 300) this.title += text;
      return;
    }
    if (this.#skipped > 0) return;
    this.#words += text;
    this.#count(text.length);
  }

  endRow(): void {
    const cells = this.#cells;
    if (!cells) return;
    cells.push(this.#takeWords());
    this.#cells = undefined;
    const row = cells.slice(1).map((cell) => cell.replace(/\s+/g, ' ').replaceAll('|', '/'));
    if (!row.some((cell) => cell.trim() !== '')) return;
    this.#blocks.push(`| ${row.join(' | ')} |`);
    if (this.#hasHeaderCells) this.#blocks.push(`|${' --- |'.repeat(row.length)}`);
  }

  end(): void {
    this.endRow();
    this.#begin('\n');
  }

  #begin(mark: string): void {
    if (this.#cells) return;
    const words = this.#takeWords();
    const isItem = this.#mark === '- ';
    if (words !== '')
      this.#blocks.push(`${this.#mark}${isItem ? words.replaceAll('\n', ' ') : words}`);
    // A paragraph inside a list item belongs to the item.
    if (words !== '' || !(isItem && mark === '\n')) this.#mark = mark;
  }

  #beginRow(): void {
    this.endRow();
    this.#begin('\n');
    this.#cells = [];
    this.#hasHeaderCells = false;
  }

  #beginCell(name: string): void {
    if (!this.#cells) return;
    this.#cells.push(this.#takeWords());
    if (name === 'th' && this.#cells.length > 1) this.#hasHeaderCells = true;
  }

  /** Removes title and table marks from running text. */
  #takeWords(): string {
    const words = this.#words
      .split('\n')
      .map((line) => line.trim().replace(/^[#|]+\s*/, ''))
      .filter((line) => line !== '')
      .join('\n');
    this.#words = '';
    return words;
  }

  #count(more: number): void {
    this.#length += more;
    if (this.#length > this.#limits.characters) tooLong(this.#limits);
  }
}

/** Characters per step: about a millisecond. */
const STEP_CHARACTERS = 4_096;

/** Extracts the text of a page with its titles, lists and tables. @throws UnreadableDocument */
export function* htmlSteps(html: string, limits: ExtractionLimits): SteppedTask<ExtractedText> {
  const writer = new TextWriter(limits);
  let isPre = 0;
  const parser = new Parser(
    {
      onopentag: (name) => {
        if (name === 'pre') isPre++;
        writer.open(name);
      },
      onclosetag: (name) => {
        if (name === 'pre') isPre = Math.max(0, isPre - 1);
        writer.close(name);
      },
      ontext: (text) => writer.words(isPre > 0 ? text : text.replace(/\s+/g, ' ')),
    },
    { decodeEntities: true },
  );
  for (let at = 0; at < html.length; at += STEP_CHARACTERS) {
    parser.write(html.slice(at, at + STEP_CHARACTERS));
    yield;
  }
  parser.end();
  writer.end();
  return { text: writer.text, title: writer.title.replace(/\s+/g, ' ').trim() };
}

/** The same in one step, for the extraction process. @throws UnreadableDocument */
export function htmlText(html: string, limits: ExtractionLimits): ExtractedText {
  return runToEnd(htmlSteps(html, limits));
}
