import type { SpokenForm } from '../../aligned-text.js';
import { setApart } from '../rules/number-text.js';
import {
  apart,
  digitByDigit,
  englishCardinal,
  englishOrdinal,
  inName,
  pluralOf,
  SMALL_NUMBERS,
  year,
} from './number-words.js';
import { DECIMAL_POINT } from './spelling.js';

/** Maximum number of digits of a quantity without commas. Longer numbers are codes and are read digit by digit. */
const MAX_QUANTITY = 9;

/** Rules that write all remaining numbers in words; no digit remains. */
export const NUMBERS: readonly SpokenForm[] = [
  // Sums: "10 - 3 = 7", "3 * 2", "4 x 4"
  { pattern: /(?<=\d) ?[-−–] ?(?=\d+ ?=)/g, say: () => ' minus ' },
  { pattern: /(?<=\d) ?[*×] ?(?=\d)/g, say: () => ' times ' },
  { pattern: /(?<=\d) ?x ?(?=\d)/g, say: () => ' by ' },
  {
    // 1990-1995, 5 – 10, fifty-fifty
    pattern: /(?<![\w.-])(\d{1,4})\s?[-–]\s?(\d{1,4})(?![\w%-]|\.\d)/g,
    say: ([, from, to]) => (from === to ? `${from} ${to}` : `${from} to ${to}`),
  },
  { pattern: /(?<=\d)s\s?[-–]\s?(?=['’]?\d{2,4}s\b)/g, say: () => 's to ' },
  { pattern: /(?<=\d) ?\+ ?(?=\d)/g, say: () => ' plus ' },
  { pattern: /(?<![\w+])\+(?=\d)/g, say: () => 'plus ' },
  { pattern: /(?<![\w.,)-])[-−](?=\.?\d)/g, say: () => 'minus ' },
  {
    // "3-year-old" becomes separate words
    pattern: /(?<![\w.-])(\d[\d,.]*)((?:-[A-Za-z]+){1,6})(?:(?![\w-])|-(?=\d))/g,
    say: ([found]) => found.replaceAll('-', ' '),
  },
  {
    pattern: /(?<![\w.,])(\d[\d,]*)(?:st|nd|rd|th)(s?)\b/g,
    say: ([, number = '', s = '']) => `${apart(englishOrdinal(number.replaceAll(',', '')))}${s}`,
  },
  {
    // the 1990s, the '90s, two 747s
    pattern: /(?<![\w.,])['‘’]?(\d{1,4})['’]?s\b/g,
    say: ([, number = '']) =>
      apart(pluralOf(number.length === 4 ? year(number) : englishCardinal(number))),
  },
  {
    // Room 101
    pattern:
      /(?<=\b(?:room|suite|apartment|flight|route|highway|interstate|bus|gate|unit|channel) (?:number )?)\d{3,4}(?!\w|[.,]\d)/gi,
    say: ([number]) => apart(inName(number)),
  },
  {
    // business to business, but not H2O
    pattern: /(?<=\b(?:[BCDEFGMOPV]|[a-z]{3,20}))2(?=(?:[BCEFGMOPX]|[a-z]{3,20})\b)/g,
    say: () => ' to ',
  },
  {
    // mp3, F-16, A380, v2.0
    pattern: /(?<=\p{L})-?(\d+)((?:\.\d+)*)(?![\d,]*\d)(?:-(?=\p{L}))?/gu,
    say: (match) => {
      const [, number = '', parts] = match;
      return parts
        ? ` ${number}${parts}`
        : ` ${setApart(match, apart(inName(number))).trimStart()}`;
    },
  },
  {
    // 1.2.3 and 192.168.1.1
    pattern: /(?<![\d.])\d+(?:\.\d+){2,8}(?![\d.]*\d)/g,
    say: (match) => {
      const parts = match[0].split('.').map((part) => apart(inName(part)));
      return setApart(match, parts.join(' dot '));
    },
  },
  {
    pattern: /(?<!\d)(\d[\d,]*)?\.(\d+)/g,
    say: (match) => {
      const [, whole, part = ''] = match;
      const before = whole ? `${plain(whole)} ` : '';
      return setApart(match, `${before}${DECIMAL_POINT} ${digitByDigit(part)}`);
    },
  },
  {
    pattern: /\d{1,3}(?:,\d{3})+(?!\d)|\d+/g,
    say: (match) => {
      const [number] = match;
      const isYear = /^[1-9]\d{3}$/.test(number);
      return setApart(match, isYear ? apart(year(number)) : plain(number));
    },
  },
];

const SMALL = `(?:${SMALL_NUMBERS.join('|')})`;

/** Rules that add the British "and" before tens and ones: "one hundred and one". */
export const BRITISH_NUMBERS: readonly SpokenForm[] = [
  { pattern: new RegExp(`(?<=\\bhundred) (?=${SMALL}\\b)`, 'g'), say: () => ' and ' },
  {
    pattern: new RegExp(
      `(?<=\\b(?:thousand|million|billion)) (?=${SMALL}(?: ${SMALL})?\\b(?! (?:hundred|thousand|million)))`,
      'g',
    ),
    say: () => ' and ',
  },
];

function plain(number: string): string {
  const digits = number.replaceAll(',', '');
  const isCode = !number.includes(',') && (/^0\d/.test(digits) || isLongCode(digits));
  return isCode ? digitByDigit(digits) : apart(englishCardinal(digits));
}

function isLongCode(digits: string): boolean {
  return digits.length > MAX_QUANTITY || (digits.length >= 7 && !digits.endsWith('000'));
}
