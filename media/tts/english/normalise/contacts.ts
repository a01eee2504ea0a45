import type { SpokenForm } from '../../traced-text.js';
import { digitByDigit } from './number-words.js';
import { setApart } from './patterns.js';
import { spelt } from './spelling.js';

const BETWEEN: ReadonlyMap<string, string> = new Map([
  ['.', 'dot'],
  ['-', 'dash'],
  ['_', 'underscore'],
  ['/', 'slash'],
  ['@', 'at'],
  ['+', 'plus'],
  ['~', 'tilde'],
  ['=', 'equals'],
  ['&', 'and'],
  ['?', 'question mark'],
  ['#', 'hash'],
  [':', 'colon'],
  ['%', 'percent'],
]);
/** Ends of host names that are said as words; others of two letters are spelt. */
const SAID_AS_WORDS = new Set(['co', 'me', 'us', 'it', 'be', 'in', 'to', 'so']);
const TOP_LEVEL =
  'com|org|net|edu|gov|info|biz|io|co|uk|de|fr|us|ca|au|tv|me|ly|ai|eu|ch|es|it|nl|se|pl|pt|cat|dev|app';

/** E-mail and web addresses, in words. */
export const ADDRESSES: readonly SpokenForm[] = [
  {
    pattern: /(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}(?![\w@])/gi,
    say: (match) => setApart(match, addressInWords(match[0])),
  },
  {
    pattern: /(?<![\w./])(?:https?:\/\/|ftp:\/\/|www\.)[^\s<>"”’)\]]{1,300}/gi,
    say: ([found]) => {
      const address = found.replace(/[.,;:!?'*_]+$/, '');
      const host = address.replace(/^[a-z]+:\/\//i, '').replace(/\/$/, '');
      return addressInWords(host) + found.slice(address.length);
    },
  },
  {
    pattern: new RegExp(
      `(?<![\\w.@/-])(?:[a-z\\d-]{1,63}\\.){1,4}(?:${TOP_LEVEL})(?:/[\\w./?=&%#~+-]{0,200})?(?![\\w@])`,
      'gi',
    ),
    say: ([found]) => {
      if (/^[\d.]+$/.test(found)) return undefined;
      const address = found.replace(/[./?]+$/, '');
      return `${addressInWords(address)}${found.slice(address.length).replace('/', '')}`;
    },
  },
];

function addressInWords(address: string): string {
  const pieces = address.match(/[A-Za-z\u00c0-\u024f]+|\d+|[^\sA-Za-z\d]/g) ?? [];
  return pieces.map((piece, i) => pieceInWords(piece, pieces[i - 1])).join(' ');
}

function pieceInWords(piece: string, before: string | undefined): string {
  const sign = BETWEEN.get(piece);
  if (sign) return sign;
  if (piece.toLowerCase() === 'www') return `${spelt('W')} ${spelt('W')} ${spelt('W')}`;
  const isShort = piece.length === 1 || (piece.length === 2 && before === '.');
  if (/^[A-Za-z]+$/.test(piece) && isShort && !SAID_AS_WORDS.has(piece.toLowerCase())) {
    return Array.from(piece, (letter) => spelt(letter.toUpperCase())).join(' ');
  }
  return piece;
}

/** Phone numbers: digit by digit, with a pause between the groups. */
export const PHONES: readonly SpokenForm[] = [
  {
    // +44 20 7946 0958, +1 (555) 123-4567
    pattern: /(?<![\w+])\+\d{1,3}(?:[ .-]?\(?\d{1,5}\)?){1,6}(?![\w-])/g,
    say: ([found]) =>
      (found.match(/\d/g)?.length ?? 0) >= 7 ? `plus ${groupsOf(found)}` : undefined,
  },
  {
    // 1-800-555-1234, (555) 123-4567, 555.123.4567, 555-1234
    pattern:
      /(?<![\w.-])(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[.-])\d{3}[ .-]\d{4}(?![\w-])|(?<![\w.-])\d{3}-\d{4}(?![\w-]|\.\d)/g,
    say: ([found]) => groupsOf(found),
  },
  {
    // 020 7946 0958, 07700 900123, 555 123 4567
    pattern: /(?<![\w.,-])(?:0\d{2,4} \d{3,4} ?\d{3,4}|\d{3} \d{3} \d{4})(?![\w-]|[.,]\d)/g,
    say: ([found]) => groupsOf(found),
  },
  {
    // 12-34-56, 123-45-6789: other codes in groups
    pattern: /(?<![\w.-])\d{2,6}(?:-\d{2,6}){2,5}(?![\w-])/g,
    say: ([found]) => groupsOf(found),
  },
];

function groupsOf(number: string): string {
  return (number.match(/\d+/g) ?? [])
    .flatMap((group) => (group.length > 5 ? (group.match(/\d{1,3}/g) ?? []) : [group]))
    .map(digitByDigit)
    .join(', ');
}
