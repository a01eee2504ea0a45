import type { SpokenForm } from '../../traced-text.js';
import { apart, cardinal, digitByDigit, inName, ordinal, pluralOf, year } from './number-words.js';
import { setApart } from './patterns.js';
import { DECIMAL_POINT } from './spelling.js';

/** Account and order numbers are no quantities: so many digits without commas are read one by one. */
const LONGEST_QUANTITY = 9;

/** All numbers that the rules before have left, in words; no digit remains. */
export const NUMBERS: readonly SpokenForm[] = [
  {
    pattern: /(?<![\w.-])(\d{1,4})\s?[-–]\s?(\d{1,4})(?![\w%-]|\.\d)/g,
    say: ([, from, to]) => `${from} to ${to}`,
  },
  { pattern: /(?<![\w+])\+(?=\d)/g, say: () => 'plus ' },
  { pattern: /(?<![\w.,)-])[-−](?=\.?\d)/g, say: () => 'minus ' },
  {
    // "3-year-old": the parts are said apart
    pattern: /(?<![\w.-])(\d[\d,.]*)((?:-[A-Za-z]+){1,6})(?![\w-])/g,
    say: ([, number = '', words = '']) => `${number}${words.replaceAll('-', ' ')}`,
  },
  {
    pattern: /(?<![\w.,])(\d[\d,]*)(?:st|nd|rd|th)(s?)\b/g,
    say: ([, number = '', s = '']) => `${apart(ordinal(number.replaceAll(',', '')))}${s}`,
  },
  {
    // the 1990s, the '90s, two 747s
    pattern: /(?<![\w.,])['‘’]?(\d{1,4})['’]?s\b/g,
    say: ([, number = '']) =>
      apart(pluralOf(number.length === 4 ? year(number) : cardinal(number))),
  },
  { pattern: /(?<=\p{L})2(?=\p{L})/gu, say: () => ' to ' },
  {
    // mp3, F-16, A380, v2.0
    pattern: /(?<=\p{L})-?(\d+)((?:\.\d+)*)(?![\d,]*\d)/gu,
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
      return setApart(match, number.length === 4 ? apart(year(number)) : plain(number));
    },
  },
];

function plain(number: string): string {
  const digits = number.replaceAll(',', '');
  const isCode = !number.includes(',') && (/^0\d/.test(digits) || isLongCode(digits));
  return isCode ? digitByDigit(digits) : apart(cardinal(digits));
}

function isLongCode(digits: string): boolean {
  return digits.length > LONGEST_QUANTITY || (digits.length >= 7 && !digits.endsWith('000'));
}
