import type { SpokenForm } from '../../aligned-text.js';
import { FRACTION, fractionInWords } from './fractions.js';
import type { Grammar } from './grammar.js';
import {
  contextOf,
  digitByDigit,
  isWholeMillions,
  NUMBER,
  numberInWords,
  ofNoun,
  parseNumber,
  setApart,
} from './number-text.js';
import { groupsOf } from './phone-rules.js';

/** Returns the rules that are applied first: more than 15 digits are a code, and ½ becomes 1/2. */
export function firstNumberRules(grammar: Grammar): SpokenForm[] {
  return [
    { pattern: /\d{16,}/g, say: (match) => setApart(match, digitByDigit(match[0], grammar)) },
    {
      pattern: /[\u00bc-\u00be\u2150-\u215e]/g,
      say: (match) => {
        const fraction = match[0].normalize('NFKC').replace('\u2044', '/');
        const { before, behind } = contextOf(match);
        const left = /\d$/.test(before) ? ' ' : '';
        return left + fraction + (/^[\p{L}\p{N}]/u.test(behind) ? ' ' : '');
      },
    },
  ];
}

/** Returns the rules for signs before and between numbers, and for ranges. The numbers are not changed. */
export function signRules(grammar: Grammar): SpokenForm[] {
  const { words } = grammar;
  const between = (sign: string, word: string): SpokenForm => ({
    pattern: new RegExp(`(?<=\\d) ?${sign} ?(?=\\d)`, 'g'),
    say: () => ` ${word} `,
  });
  return [
    { pattern: /(?<=\d) ?[-−–] ?(?=\d{1,15} ?=)/g, say: () => ` ${words.minus} ` },
    between('[×*·x]', words.times),
    between('=', words.equals),
    between('\\+', words.plus),
    between('÷', words.over),
    {
      pattern: /(?<![\p{L}\d.,/-])(\d{1,4})\s?[-–]\s?(\d{1,4})(?![\d-]|[.,/]\d)/gu,
      say: ([found, from = '', to = '']) => {
        const isCode =
          /^0\d|[-–]\s?0\d/.test(found) || (from.length === to.length && Number(to) < Number(from));
        if (isCode) return groupsOf(found, grammar);
        return from === to ? `${from} ${to}` : `${from} ${words.to} ${to}`;
      },
    },
    { pattern: /(?<![\p{L}\d+])\+ ?(?=\d)/gu, say: () => `${words.plus} ` },
    { pattern: /(?<![\p{L}\d.,)/-])[-−–](?=\d)/gu, say: () => `${words.minus} ` },
  ];
}

/** Returns the rules that write all remaining numbers in words; no digit remains. */
export function numberRules(grammar: Grammar): SpokenForm[] {
  const { words } = grammar;
  return [
    {
      pattern: new RegExp(`(?<![\\p{L}\\d./])${FRACTION}(?![\\d/]|[.,]\\d)`, 'gu'),
      say: ([, whole, over = '', under = '']) => {
        if (`${over}/${under}` === '24/7') return `${whole ? `${whole} ` : ''}${over} ${under}`;
        const said = fractionInWords({ whole, over, under }, grammar);
        return said ?? `${whole ? `${whole} ` : ''}${over} ${words.over} ${under}`;
      },
    },
    {
      // 1.2.3 and 192.168.1.1
      pattern: /(?<!\d|\d\.)\d{1,15}(?:\.\d{1,15}){2,8}(?!\d)/g,
      say: (match) => {
        if (/^\d{1,3}(?:\.\d{3})+$/.test(match[0])) return undefined;
        const parts = match[0].split('.');
        return setApart(match, parts.map((part) => whole(part, grammar)).join(` ${words.point} `));
      },
    },
    { pattern: /\p{L}\p{M}?[-/]?(?=\d)/gu, say: ([found]) => `${found.replace(/[-/]$/, '')} ` },
    { pattern: /\d[-_/]?(?=\p{L})/gu, say: ([found]) => `${found[0]} ` },
    {
      pattern: new RegExp(`(?<!\\d)(${NUMBER})`, 'g'),
      say: (match) => setApart(match, plain(match, grammar)),
    },
    { pattern: /(?<= d') (?=\p{L})/gu, needs: " d' ", say: () => '' },
    { pattern: /(?<=\d):(?=\d)/g, say: () => ' ' },
    { pattern: /\d{1,15}/g, say: (match) => setApart(match, whole(match[0], grammar)) },
    {
      // Any other sign for a number
      pattern: /\p{N}/gu,
      say: (match) => {
        const digits = match[0].normalize('NFKC').match(/\d{1,9}/)?.[0];
        return setApart(match, digits === undefined ? ' ' : whole(digits, grammar));
      },
    },
  ];
}

function whole(digits: string, grammar: Grammar): string {
  return numberInWords({ digits, decimals: '', sign: '' }, grammar);
}

const NEXT_WORD = /^ ([\p{L}\p{M}'-]{2,30})/u;

function plain(match: RegExpExecArray, grammar: Grammar): string {
  const [found] = match;
  const { before, behind } = contextOf(match);
  const number = parseNumber(found);
  const value = Number(number.digits);
  const isLikeYear = /^1[1-9]\d\d$|^20\d\d$/.test(found);
  const year = isLikeYear ? grammar.year?.(value, behind) : undefined;
  if (year !== undefined) return year;
  const next = NEXT_WORD.exec(behind)?.[1];
  const gender = next === undefined || number.sign ? undefined : grammar.genderOf?.(next, value);
  const isGenitive = !number.sign && (grammar.asksGenitive?.(before) ?? false);
  const words = numberInWords(number, grammar, { gender, isGenitive });
  const isCounting = next !== undefined && gender !== undefined && isWholeMillions(number);
  return isCounting ? `${words} ${ofNoun(next, grammar)}`.trimEnd() : words;
}
