import { SPELT } from '../../text/normalise/english/spelling.js';
import { PLACEHOLDERS } from '../../text/normalise/fixed-pronunciations.js';

/** A token and the UTF-16 index of its start. */
export interface TextToken {
  readonly text: string;
  readonly start: number;
  readonly spaceAfter: boolean;
}

/**
 * The character classes and the order of the steps are those of spaCy (MIT) for English, because the tagger was
 * trained on such tokens.
 */
const LOWER = 'a-zß-öø-ÿ';
const UPPER = 'A-ZÀ-ÖØ-Þ';
const LETTER = '\\p{L}\\p{Nl}\\p{No}';
const QUOTES = '\'"”“`‘´’‚,„»«「」『』（）〔〕【】《》〈〉';
const MARKS = '…,:;!?¿¡()\\[\\]{}<>_#*&。？！，、；：～·';
const ICONS = '™®©°§¶†‡•';
const CURRENCIES = '$£€¥฿₽₹₩₪₺₴₦₫₱₲₵₸₼₾₿';
const UNITS =
  'km[²³]?|[dcm]?m[²³]?|ha|µm|nm|yd|in|ft|kg|m?g|µg|t|lb|oz|m/s|km/h|kmh|mph|hPa|Pa|mbar|[mM][bB]|[kK][bB]|[gG][bB]|[tT][bB]|[TGMK%]';

const PREFIX = new RegExp(
  `^(?:\\.\\.+|[UCA]S?\\$|\\+(?![0-9])|[%=—–${MARKS}${QUOTES}${CURRENCIES}${ICONS}])`,
  'u',
);
const SUFFIX = new RegExp(
  [
    `(?:\\.\\.+|['’][sS]|[—–${MARKS}${QUOTES}${ICONS}]`,
    `(?<=[0-9])(?:\\+|[${CURRENCIES}]|${UNITS})`,
    `(?<=°[FfCcKk]|[0-9${LOWER}${SPELT}${PLACEHOLDERS}%²\\-+${MARKS}${QUOTES}]|[${UPPER}]{2})\\.)$`,
  ].join('|'),
  'u',
);
const INFIX = new RegExp(
  [
    `\\.\\.+|…|[${ICONS}]|(?<=[0-9])[+\\-*^](?=[0-9-])`,
    `(?<=[${LOWER}${QUOTES}])\\.(?=[${UPPER}${QUOTES}])`,
    `(?<=[${LETTER}]),(?=[${LETTER}])`,
    `(?<=[${LETTER}\\p{Nd}])(?:-{1,3}|–|—{1,2}|~|[:<>=/])(?=[${LETTER}])`,
  ].join('|'),
  'gu',
);
const CHUNK = /\S+/g;
/** UTF-16 units. Longer runs without a space are split, because the steps below scan a chunk repeatedly. */
const MAX_CHUNK_LENGTH = 160;

/** Splits a text into words and punctuation. */
export class Tokenizer {
  readonly #exceptions: ReadonlyMap<string, readonly string[]>;

  constructor(exceptions: ReadonlyMap<string, readonly string[]>) {
    this.#exceptions = exceptions;
  }

  tokenize(text: string): TextToken[] {
    const tokens: TextToken[] = [];
    for (const match of text.matchAll(CHUNK)) {
      const [run] = match;
      const followed = match.index + run.length < text.length;
      for (let from = 0; from < run.length; from += MAX_CHUNK_LENGTH) {
        const pieces = this.#split(run.slice(from, from + MAX_CHUNK_LENGTH));
        let start = match.index + from;
        for (const [i, piece] of pieces.entries()) {
          const isLast = i === pieces.length - 1 && from + MAX_CHUNK_LENGTH >= run.length;
          tokens.push({ text: piece, start, spaceAfter: isLast && followed });
          start += piece.length;
        }
      }
    }
    return tokens;
  }

  #split(chunk: string): readonly string[] {
    const known = this.#exceptions.get(chunk);
    if (known) return known;
    const before: string[] = [];
    const behind: string[] = [];
    const core = this.#peel(chunk, before, behind);
    const pieces = [
      ...before,
      ...(this.#exceptions.get(core) ?? splitInside(core)),
      ...behind.reverse(),
    ];
    return pieces.length > 1 ? this.#rejoin(pieces) : pieces;
  }

  /** Removes punctuation from both ends until an exception or no punctuation remains. */
  #peel(chunk: string, before: string[], behind: string[]): string {
    let core = chunk;
    while (core !== '' && !this.#exceptions.has(core)) {
      const prefix = PREFIX.exec(core)?.[0] ?? '';
      const rest = core.slice(prefix.length);
      if (prefix !== '' && this.#exceptions.has(rest)) {
        before.push(prefix);
        return rest;
      }
      const suffix = SUFFIX.exec(rest)?.[0] ?? '';
      const withoutSuffix = core.slice(0, core.length - suffix.length);
      if (suffix !== '' && this.#exceptions.has(withoutSuffix)) {
        behind.push(suffix);
        return withoutSuffix;
      }
      if (prefix === '' && suffix === '') return core;
      if (prefix !== '') before.push(prefix);
      if (suffix !== '') behind.push(suffix);
      core = rest.slice(0, rest.length - suffix.length);
    }
    return core;
  }

  /** Joins tokens that together are an exception: "Sept" and "." */
  #rejoin(pieces: readonly string[]): string[] {
    const joined: string[] = [];
    for (let i = 0; i < pieces.length; ) {
      const length = [3, 2].find(
        (n) => i + n <= pieces.length && this.#exceptions.has(pieces.slice(i, i + n).join('')),
      );
      const exception = length && this.#exceptions.get(pieces.slice(i, i + length).join(''));
      joined.push(...(exception || [pieces[i]!]));
      i += length ?? 1;
    }
    return joined;
  }
}

function splitInside(core: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const match of core.matchAll(INFIX)) {
    if (match.index === 0) continue;
    if (match.index > from) pieces.push(core.slice(from, match.index));
    pieces.push(match[0]);
    from = match.index + match[0].length;
  }
  if (from < core.length) pieces.push(core.slice(from));
  return pieces;
}
