import type { Gender, Grammar, Noun } from './grammar.js';

/** Pattern of a number in European notation: groups of three digits, and decimals after a comma or a point. */
export const NUMBER =
  "(?:\\d{1,3}(?:,\\d{3}){1,4}\\.\\d{1,9}|\\d{1,3}(?:[. '’]\\d{3}){1,4}(?!\\d)(?:,\\d{1,9}(?!\\d))?|\\d{1,15}(?:[.,]\\d{1,12}(?!\\d))?)(?!\\d)";
/** Lookbehind of a number that is not part of a word or a longer number. */
export const ALONE = '(?<![\\p{L}\\p{M}\\d_]|\\d[.,])';

const GROUPED = /^\d{1,3}(?:[. '’]\d{3})+(?:,(\d+))?$/;
const ENGLISH = /^\d{1,3}(?:,\d{3})+\.(\d+)$/;
/** Maximum number of digits of a quantity. */
const MAX_DIGITS = 15;
/** UTF-16 units before and after a number that may decide its case and gender. */
const NEAR = 32;

/** The digits of a written number. */
export interface WrittenNumber {
  readonly digits: string;
  readonly decimals: string;
  /** The sign before the decimals. */
  readonly sign: '' | ',' | '.';
}

/** Parses a match of `NUMBER`. */
export function parseNumber(written: string): WrittenNumber {
  const grouped = GROUPED.exec(written);
  const english = grouped ? undefined : ENGLISH.exec(written);
  if (grouped || english) {
    const decimals = (grouped ?? english)?.[1] ?? '';
    const digits = written.slice(0, decimals ? -decimals.length - 1 : undefined).replace(/\D/g, '');
    return { digits, decimals, sign: decimals ? ',' : '' };
  }
  const [digits = '', decimals = ''] = written.split(/[.,]/);
  const sign = written[digits.length];
  return { digits, decimals, sign: sign === ',' || sign === '.' ? sign : '' };
}

/** The text before and after a match, which may decide the gender and case of a number. */
export interface Context {
  readonly before: string;
  readonly behind: string;
}

/** Returns up to 32 UTF-16 units on each side of a match. */
export function contextOf({ input, index, 0: found }: RegExpExecArray): Context {
  const end = index + found.length;
  return {
    before: input.slice(Math.max(0, index - NEAR), index),
    behind: input.slice(end, end + NEAR),
  };
}

/** Returns the names of the digits. */
export function digitByDigit(digits: string, grammar: Grammar): string {
  return Array.from(digits, (digit) => grammar.cardinal(Number(digit))).join(' ');
}

/** Gender and case of a number. */
export interface Agreement {
  readonly gender?: Gender | undefined;
  readonly isGenitive?: boolean;
}

/** Returns a number in words. Numbers with a leading zero or more than 15 digits are read digit by digit. */
export function numberInWords(
  { digits, decimals, sign }: WrittenNumber,
  grammar: Grammar,
  { gender, isGenitive = false }: Agreement = {},
): string {
  const isCode = digits.length > MAX_DIGITS || (digits.length > 1 && digits.startsWith('0'));
  if (isCode && !sign) return digitByDigit(digits, grammar);
  const value = Number(digits.slice(0, MAX_DIGITS));
  if (!sign) {
    const inCase = isGenitive ? grammar.genitive?.(value, gender) : undefined;
    return inCase ?? grammar.cardinal(value, gender);
  }
  const own = sign === ',' ? grammar.decimal?.(value, decimals) : undefined;
  if (own !== undefined) return own;
  const point = sign === ',' ? grammar.words.comma : grammar.words.point;
  const isPair = grammar.pairsDecimals && decimals.length <= 2 && !decimals.startsWith('0');
  const rest = isPair ? grammar.cardinal(Number(decimals)) : digitByDigit(decimals, grammar);
  return `${grammar.cardinal(value)} ${point} ${rest}`;
}

const VOWEL = /^[aeiouyhàâéèêîôû]/i;

/** Returns the preposition between a number and its noun: "de ", or "d'" before a vowel; empty in most languages. */
export function ofNoun(name: string, { money }: Grammar): string {
  return money.of === "d'" && !VOWEL.test(name) ? 'de ' : money.of;
}

/** Whether a number is a multiple of a million, which is a noun in Romance languages: "un millón de euros". */
export function isWholeMillions({ digits, decimals }: WrittenNumber): boolean {
  return decimals === '' && /[1-9]0{6,}$|[1-9]\d*0{6}$/.test(digits);
}

/** Returns a number in words with the noun that it counts. @param written - a match of `NUMBER` */
export function counted(
  written: string,
  what: Noun,
  { grammar, before }: { readonly grammar: Grammar; readonly before: string },
): string {
  const number = parseNumber(written);
  const isGenitive = !number.sign && (grammar.asksGenitive?.(before) ?? false);
  const words = numberInWords(number, grammar, { gender: what.gender, isGenitive });
  const name = formFor(number, what, { grammar, isGenitive });
  return `${words} ${isWholeMillions(number) ? ofNoun(name, grammar) : ''}${name}`;
}

/** Returns the form of a noun after a number. */
export function formFor(
  { digits, decimals }: WrittenNumber,
  { forms }: Noun,
  { grammar, isGenitive = false }: { readonly grammar: Grammar; readonly isGenitive?: boolean },
): string {
  const value = Number(`${digits}.${decimals || '0'}`);
  const rule = pluralRules(grammar.language).select(value);
  if (isGenitive) return forms.get(rule === 'one' ? 'other' : 'many') ?? '';
  return forms.get(rule) ?? forms.get('other') ?? '';
}

const rulesByLanguage = new Map<string, Intl.PluralRules>();

function pluralRules(language: string): Intl.PluralRules {
  const known = rulesByLanguage.get(language);
  if (known) return known;
  const rules = new Intl.PluralRules(language);
  rulesByLanguage.set(language, rules);
  return rules;
}

/** Returns words that replace `match`, with a space next to adjacent letters and digits. */
export function setApart(match: RegExpExecArray, words: string): string {
  const { before, behind } = contextOf(match);
  const left = /[\p{L}\p{N}]$/u.test(before) ? ' ' : '';
  return left + words + (/^[\p{L}\p{N}]/u.test(behind) ? ' ' : '');
}

/** Returns a part of a pattern that matches any of the words, the longest first; empty without words. */
export function anyOf(words: Iterable<string>): string {
  return [...words]
    .filter((word) => word !== '')
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('|');
}
