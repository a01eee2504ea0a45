import type { Grammar, Noun } from './grammar.js';
import { counted, formFor, ofNoun, parseNumber } from './number-text.js';

/** Part of a pattern for "3/5" and "1 1/2". Groups: whole, over, under. */
export const FRACTION = '(?:(\\d{1,4}) )?(\\d{1,2})/(\\d{1,4})';

/** The digits of a written fraction. */
export interface WrittenFraction {
  readonly whole?: string | undefined;
  readonly over: string;
  readonly under: string;
}

/** Returns "three fifths" or "one and a half"; undefined unless the written fraction is proper. */
export function fractionInWords(
  { whole, over, under }: WrittenFraction,
  grammar: Grammar,
): string | undefined {
  const [a, b] = [Number(over), Number(under)];
  const fraction = a > 0 && a < b ? grammar.fraction(a, b) : undefined;
  if (fraction === undefined || whole === undefined) return fraction;
  const isHalf = a === 1 && b === 2;
  if (isHalf && grammar.half) {
    const gender = grammar.half.behind[0].startsWith(' ') ? undefined : 'm';
    return grammar.cardinal(Number(whole), gender) + grammar.half.behind[0];
  }
  return `${grammar.cardinal(Number(whole))} ${grammar.words.and} ${fraction}`;
}

/** Returns "half a metre" or "two and a half metres"; undefined unless the written fraction is proper. */
export function fractionOf(
  written: WrittenFraction,
  what: Noun,
  { grammar, before }: { readonly grammar: Grammar; readonly before: string },
): string | undefined {
  const { whole, over, under } = written;
  const fraction = fractionInWords(written, grammar);
  if (fraction === undefined) return undefined;
  const { half, money, words } = grammar;
  const isHalf = Number(over) === 1 && Number(under) === 2;
  const byGender = what.gender === 'f' ? 1 : 0;
  const isRomance = money.of !== '';
  if (isRomance && whole !== undefined) {
    const units = counted(whole, what, { grammar, before });
    if (isHalf && half) return units + half.behind[byGender];
    return `${units} ${words.and} ${fractionInWords({ over, under }, grammar)}`;
  }
  const one = what.forms.get('one') ?? '';
  if (isRomance)
    return isHalf && half
      ? `${half.alone[byGender]} ${one}`
      : `${fraction} ${ofNoun(one, grammar)}${one}`;
  return `${fraction} ${formFor(parseNumber(`${whole ?? 0},5`), what, { grammar })}`;
}
