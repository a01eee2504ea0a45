import { SPELT, speltCharacters } from '../../text/normalise/english/spelling.js';
import {
  type FixedPronunciation,
  pronunciationOf,
} from '../../text/normalise/fixed-pronunciations.js';
import { isPause } from './phonetic-context.js';
import { PRIMARY, weightOf, withStress } from './stress.js';
import type { TextToken } from './tokenizer.js';

/** A token or a part of one: the smallest unit that is looked up. */
export interface WordPart {
  readonly text: string;
  readonly tag: string;
  /** Half-open range in the text that was tokenised. */
  readonly start: number;
  readonly end: number;
  readonly spaceAfter: boolean;
  /** Set for punctuation and for words with a fixed pronunciation. */
  readonly phonemes: string | undefined;
}

/** Parts without space between them: "don't", "well-known", or one mark of punctuation. */
export type WordGroup = readonly WordPart[];

const UPPER = 'A-ZÀ-ÖØ-Þ';
const LOWER = 'a-zß-öø-ÿ';
const LETTER = '[\\p{L}\\p{Nl}\\p{No}]';
/** Positions at which a token may be split: case changes, hyphens and apostrophes. */
const PART = new RegExp(
  [
    `^['‘’]+`,
    `[${UPPER}](?=[${UPPER}][${LOWER}])`,
    `\\p{Nd}+|[${SPELT}]+`,
    `[-_]+|['‘’]{2,}`,
    `${LETTER}*?(?:['‘’]${LETTER})*?[${LOWER}](?=[${UPPER}])`,
    `${LETTER}+(?:['‘’]${LETTER})*`,
    `[^\\p{L}\\p{N}_\\-'‘’]`,
    `['‘’]+$`,
  ].join('|'),
  'gu',
);
const PUNCTUATION_TAGS = new Set([
  '.',
  ',',
  '-LRB-',
  '-RRB-',
  '``',
  '""',
  "''",
  ':',
  '$',
  '#',
  'NFP',
]);
const BRACKETS_AND_QUOTES: ReadonlyMap<string, string> = new Map([
  ['-LRB-', '('],
  ['-RRB-', ')'],
  ['``', '“'],
  ['""', '”'],
  ["''", '”'],
]);
const SPOKEN_MARK = /[;:,.!?—…"“”]/g;
const ONLY_LETTERS = /^[a-z]+$/i;
const SILENT = /^[',\-._‘’/]+$/;
/** Longer groups are split, because every run of a group's parts may be looked up. */
const MAX_PARTS = 16;
const LETTER_ONLY = /^\p{L}$/u;

/** Groups tokens into words. Each punctuation mark is a separate group. */
export function groupWords(
  tokens: readonly TextToken[],
  tags: readonly string[],
  fixed: readonly FixedPronunciation[] = [],
): WordGroup[] {
  const groups: WordPart[][] = [];
  let open: WordPart[] | undefined;
  for (const [i, token] of tokens.entries()) {
    for (const found of partsOf(token, tags[i] ?? 'NN')) {
      const part = {
        ...found,
        phonemes: found.phonemes ?? pronunciationOf(found.text, fixed)?.phonemes,
      };
      if (part.phonemes !== undefined) {
        groups.push([part]);
        open = undefined;
        continue;
      }
      if (!open) {
        open = [];
        groups.push(open);
      }
      open.push(part);
      if (part.spaceAfter || open.length === MAX_PARTS) open = undefined;
    }
  }
  return groups;
}

function partsOf(token: TextToken, tag: string): WordPart[] {
  const found = [...token.text.matchAll(PART)];
  if (found.length === 0) {
    return [{ ...token, tag, end: token.start + token.text.length, phonemes: undefined }];
  }
  return found.map((match, i) => ({
    text: match[0],
    tag,
    start: token.start + match.index,
    end: token.start + match.index + match[0].length,
    spaceAfter: i === found.length - 1 && token.spaceAfter,
    phonemes: punctuation(match[0], tag),
  }));
}

function punctuation(text: string, tag: string): string | undefined {
  if (tag === ':' && (text === '-' || text === '–')) return '—';
  if (!PUNCTUATION_TAGS.has(tag) || ONLY_LETTERS.test(text) || speltCharacters(text))
    return undefined;
  return BRACKETS_AND_QUOTES.get(tag) ?? (text.match(SPOKEN_MARK) ?? []).join('');
}

/** Joins several parts to one word for the lookup. */
export function asOneWord(parts: readonly WordPart[]): WordPart {
  const first = parts[0]!;
  const last = parts[parts.length - 1]!;
  let heaviest = first;
  for (const part of parts) {
    if (caseWeight(part.text) > caseWeight(heaviest.text)) heaviest = part;
  }
  return {
    text: parts.map(({ text }) => text).join(''),
    tag: heaviest.tag,
    start: first.start,
    end: last.end,
    spaceAfter: last.spaceAfter,
    phonemes: undefined,
  };
}

function caseWeight(text: string): number {
  let weight = 0;
  for (const character of text) weight += character === character.toLowerCase() ? 1 : 2;
  return weight;
}

/** A spoken part of a group. */
export interface SaidPart {
  readonly text: string;
  readonly phonemes: string;
}

/** A part of a group that is not spoken. */
export function isSilent(text: string): boolean {
  return SILENT.test(text);
}

/**
 * Joins the parts of one group. Parts of different kinds are separate words. Otherwise the group is one
 * word, and the weaker half of its stresses is reduced.
 */
export function joinPhonemes(groupText: string, parts: readonly SaidPart[]): string {
  if (isSaidApart(groupText)) {
    return parts.reduce((said, { text, phonemes }) => {
      const gap = said === '' || isPause(text) ? '' : ' ';
      return said + gap + phonemes;
    }, '');
  }
  const weakened = partsToWeaken(parts);
  return parts
    .map(({ phonemes }, i) => (weakened.has(i) ? withStress(phonemes, 'softened') : phonemes))
    .join('');
}

function isSaidApart(groupText: string): boolean {
  if (groupText.includes('/')) return true;
  const kinds = new Set<string>();
  for (const character of groupText) {
    if (SILENT.test(character)) continue;
    if (LETTER_ONLY.test(character)) kinds.add('letter');
    else kinds.add(/\d/.test(character) ? 'digit' : 'sign');
  }
  return kinds.size > 1;
}

function partsToWeaken(parts: readonly SaidPart[]): ReadonlySet<number> {
  const all = parts
    .map(({ phonemes }, index) => ({ index, phonemes }))
    .filter(({ phonemes }) => phonemes !== '');
  const [first, second] = all;
  if (first && second && all.length === 2 && parts[first.index]?.text.length === 1) {
    return new Set([second.index]);
  }
  const strong = all.filter(({ phonemes }) => phonemes.includes(PRIMARY)).length;
  if (all.length < 2 || strong <= Math.floor((all.length + 1) / 2)) return new Set();
  const rank = (phonemes: string) => (phonemes.includes(PRIMARY) ? 1000 : 0) + weightOf(phonemes);
  const lightest = all.sort((a, b) => rank(a.phonemes) - rank(b.phonemes) || a.index - b.index);
  return new Set(lightest.slice(0, Math.floor(all.length / 2)).map(({ index }) => index));
}
