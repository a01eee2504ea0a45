import { runToEnd, type SteppedTask } from '../async/cooperative.js';

/** Maximum length of a passage in UTF-16 units. Source: the input length of the sentence model. */
const MAX_PASSAGE_LENGTH = 450;
/** Passages are joined if there are more than this number plus the text's length ÷ `MIN_MEAN_PASSAGE_LENGTH`. */
const MIN_PASSAGES_TO_PACK = 50;
/** UTF-16 units. */
const MIN_MEAN_PASSAGE_LENGTH = 25;

/** A part of a text with one topic. */
export interface TextPassage {
  /** The title above the passage; empty without one. */
  readonly heading: string;
  readonly text: string;
}

/** UTF-16 units that a segmenter reads at once. */
const SEGMENTED_AT_ONCE = 1_000;
/** UTF-16 units that are split into blocks in one step, and blocks that are processed in one step. */
const CHARACTERS_AT_ONCE = 10_000;
const BLOCKS_AT_ONCE = 64;

const segmenters = new Map<string, Intl.Segmenter>();

/**
 * Splits a text into passages with one topic each. A title is repeated in the passages below it.
 * Passages are paragraphs, list items and table rows of at most 450 UTF-16 units; longer ones are split at
 * sentence ends. Markup is removed.
 * @param text - plain text or Markdown
 * @param language - ISO 639-1, for sentence ends; default: `en`
 */
export function chunkText(text: string, language = 'en'): TextPassage[] {
  return runToEnd(chunkTextInSteps(text, language));
}

/** Like `chunkText`, in steps: a long text takes several hundred ms. */
export function* chunkTextInSteps(text: string, language = 'en'): SteppedTask<TextPassage[]> {
  const passages: TextPassage[] = [];
  let title = '';
  let label = '';
  const blocks = yield* blocksOf(text);
  for (const [index, block] of blocks.entries()) {
    if (index % BLOCKS_AT_ONCE === BLOCKS_AT_ONCE - 1) yield;
    const { heading, body } = takeHeading(block);
    if (heading !== undefined) {
      title = heading;
      label = '';
    }
    const plain = plainText(body);
    // The row above this line names the columns.
    if (TABLE_LINE.test(body.trim())) label = passages.pop()?.text ?? '';
    if (!/[\p{L}\p{N}]/u.test(plain)) continue;
    if (LABEL.test(plain)) {
      label = plain.replace(/:$/, '');
      continue;
    }
    // "Prices:" is the label of all items below it. A question is the label of the next block only.
    const isItem = ITEM.test(body);
    if (!isItem && !label.endsWith('?')) label = '';
    const below = [title, label].filter((part) => part !== '').join(', ');
    for (const part of yield* upTo(MAX_PASSAGE_LENGTH, plain, language)) {
      passages.push({ heading: below, text: part });
    }
    if (!isItem) label = '';
  }
  return passages.length > MIN_PASSAGES_TO_PACK + text.length / MIN_MEAN_PASSAGE_LENGTH
    ? packed(passages)
    : passages;
}

/*
 * Texts come from users and may be long. Each pattern below takes linear time: each repeat is bounded or can
 * match in one way only.
 */
const ITEM = /^\s*(?:(?:[-*•]|\d{1,3}[.)])\s|\|)/;
const TABLE_LINE = /^\|[\s|:-]*$/;
/** The line end after a table's last row. */
const AFTER_TABLE = /\n(?<=\|[ \t]{0,8}\n)(?![ \t]{0,12}\|)/;
/** A block that is a label of the next one. */
const LABEL = /^(?:[^.!?]{1,80}:|[^.!?]{1,200}\?)$/;
/** Ends of blocks: empty lines, and line ends before list items, table rows and titles. */
const BORDERS =
  /\n\s*\n|\n(?=[ \t]{0,12}(?:(?:[-*•]|\d{1,3}[.)]|#{1,6})\s|\||\*\*[^*\n]{1,200}\*\*:?[ \t]{0,8}(?:\n|$)))/;
const AFTER_LABEL = /\n(?<=^[^.!?\n|]{1,80}:[ \t]{0,8}\n)/;
const MAX_TITLE_LENGTH = 200;

function* blocksOf(text: string): SteppedTask<string[]> {
  const lines = text.replace(/\r\n?/g, '\n');
  const blocks: string[] = [];
  for (let from = 0; from < lines.length; ) {
    const to = borderBehind(lines, from + CHARACTERS_AT_ONCE);
    blocks.push(
      ...lines
        .slice(from, to)
        .split(BORDERS)
        .flatMap((block) => block.trim().split(AFTER_TABLE))
        .flatMap((block) => block.split(AFTER_LABEL)),
    );
    from = to;
    yield;
  }
  return blocks;
}

/** The first end of a block from `at` on. */
function borderBehind(lines: string, at: number): number {
  if (at >= lines.length) return lines.length;
  const border = new RegExp(BORDERS, 'g');
  border.lastIndex = at;
  return border.exec(lines)?.index ?? lines.length;
}

/** A line is a title if it starts with # or is entirely bold. */
function takeHeading(block: string): { readonly heading?: string; readonly body: string } {
  const end = block.indexOf('\n');
  const first = (end < 0 ? block : block.slice(0, end)).trim();
  if (first.length > MAX_TITLE_LENGTH) return { body: block };
  const match = /^#{1,6}\s+(.+?)[\s#:]*$/.exec(first) ?? /^\*\*([^*]+?):?\*\*:?$/.exec(first);
  if (!match) return { body: block };
  return { heading: plainText(match[1]!), body: end < 0 ? '' : block.slice(end + 1) };
}

/** Splits a text into parts of at most `maxLength` UTF-16 units, at sentence ends where possible. */
function* upTo(maxLength: number, text: string, language: string): SteppedTask<string[]> {
  if (text.length <= maxLength) return [text];
  const parts: string[] = [];
  let part = '';
  const sentences = yield* sentencesOf(text, language);
  for (const sentence of sentences.flatMap((one) => cutHard(maxLength, one))) {
    if (part && part.length + sentence.length > maxLength) {
      parts.push(part);
      part = '';
    }
    part = part ? `${part} ${sentence}` : sentence;
  }
  if (part) parts.push(part);
  return parts;
}

/** Splits a sentence that is too long between words, or anywhere if it has no spaces. */
function cutHard(maxLength: number, sentence: string): string[] {
  const parts: string[] = [];
  let rest = sentence;
  while (rest.length > maxLength) {
    const blank = rest.lastIndexOf(' ', maxLength);
    const at = blank > maxLength / 2 ? blank : maxLength;
    parts.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  if (rest) parts.push(rest);
  return parts;
}

/** Joins adjacent passages up to the maximum length. Their headings are dropped. */
function packed(passages: readonly TextPassage[]): TextPassage[] {
  const joined: TextPassage[] = [];
  for (const { text } of passages) {
    const last = joined.at(-1);
    if (last && last.text.length + text.length < MAX_PASSAGE_LENGTH) {
      joined[joined.length - 1] = { heading: '', text: `${last.text} ${text}` };
    } else {
      joined.push({ heading: '', text });
    }
  }
  return joined;
}

/**
 * Splits a plain text into sentences. An abbreviation before a name, such as "Dr.", does not end a sentence.
 * @param language - ISO 639-1; default: `en`
 */
export function splitIntoSentences(text: string, language = 'en'): string[] {
  return runToEnd(sentencesOf(text, language));
}

function* sentencesOf(text: string, language: string): SteppedTask<string[]> {
  let segmenter = segmenters.get(language);
  if (!segmenter) {
    segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
    segmenters.set(language, segmenter);
  }
  const sentences: string[] = [];
  for (const segment of yield* segmentsOf(text, segmenter)) {
    const sentence = segment.trim();
    const before = sentences.at(-1);
    if (before && /\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|approx|e\.g|i\.e)\.$/.test(before)) {
      sentences[sentences.length - 1] = `${before} ${sentence}`;
    } else if (sentence) {
      sentences.push(sentence);
    }
  }
  return sentences;
}

/** Segments a text in steps, because the time of a segmenter grows with the square of the length. */
function* segmentsOf(text: string, segmenter: Intl.Segmenter): SteppedTask<string[]> {
  const segments: string[] = [];
  let open = '';
  for (let at = 0; at < text.length; at += SEGMENTED_AT_ONCE) {
    const part = open + text.slice(at, at + SEGMENTED_AT_ONCE);
    const found = [...segmenter.segment(part)].map(({ segment }) => segment);
    // The last segment may continue in the next step, unless it is already very long.
    open = found.length > 1 || part.length < 4 * SEGMENTED_AT_ONCE ? (found.pop() ?? '') : '';
    segments.push(...found);
    if ((at / SEGMENTED_AT_ONCE) % 4 === 3) yield;
  }
  if (open) segments.push(open);
  return segments;
}

/** Removes list marks, emphasis, code marks, table borders, link targets and line ends. */
function plainText(block: string): string {
  return block
    .split('\n')
    .map((line) => cellsOf(line.trim()))
    .join(' ')
    .replace(/\[([^\][]{0,200})\]\([^()]{0,500}\)/g, '$1')
    .replace(/\*\*|__|`/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Removes the list mark of a line. A table row becomes a list of its cells. */
function cellsOf(line: string): string {
  if (!line.startsWith('|')) {
    return line.replace(/^(?:#{1,6}|[-*•]|\d{1,3}[.)]|Q:|A:|Question:|Answer:)\s+/, '');
  }
  const cells = line.split('|').map((cell) => cell.trim());
  return cells.filter((cell) => /[^:\s-]/.test(cell)).join(', ');
}
