import { toCardinal, toOrdinal } from 'n2words/ru-RU';
import type { Gender } from '../rules/grammar.js';
import { RUSSIAN_TABLES } from '../word-lists/ru.js';

const ONES = RUSSIAN_TABLES.ones.split(' ');
const TENS = RUSSIAN_TABLES.tens.split(' ');
const HUNDREDS = RUSSIAN_TABLES.hundreds.split(' ');
const ENDINGS = RUSSIAN_TABLES.endings;

/** Returns the cardinal. */
export function russianCardinal(value: number, gender: Gender = 'm'): string {
  if (value === 0) return 'ноль';
  const words = toCardinal(value, { gender: gender === 'f' ? 'feminine' : 'masculine' });
  return gender === 'n' ? words.replace(/(^| )один$/, '$1одно') : words;
}

/** Returns the genitive of a number below 1,000,000. Source: Розенталь, § 165, склонение числительных. */
export function russianGenitive(value: number, gender: Gender = 'm'): string | undefined {
  if (value >= 1e6 || value === 0) return value === 0 ? 'нуля' : undefined;
  if (value >= 1000) {
    const thousands = Math.floor(value / 1000);
    const name =
      thousands === 1
        ? 'тысячи'
        : `${russianGenitive(thousands, 'f')} ${isOne(thousands) ? 'тысячи' : 'тысяч'}`;
    return value % 1000 === 0 ? name : `${name} ${russianGenitive(value % 1000, gender)}`;
  }
  const rest = value % 100;
  const words = [HUNDREDS[Math.floor(value / 100)]!];
  if (rest < 20) words.push(ONES[rest]!);
  else words.push(TENS[Math.floor(rest / 10)]!, ONES[rest % 10]!);
  const said = words.filter(Boolean).join(' ');
  return gender === 'f' ? said.replace(/одного$/, 'одной') : said;
}

function isOne(value: number): boolean {
  return value % 10 === 1 && value % 100 !== 11;
}

/** Gender, number and case of an ordinal. */
export type RussianOrdinalForm = keyof typeof ENDINGS;

/** Returns the ordinal. Only its last word is declined. */
export function russianOrdinal(value: number, form: RussianOrdinalForm = 'masculine'): string {
  const words = value === 0 ? 'нулевой' : toOrdinal(value).replace(/^одна (?=тысяча)/, '');
  if (form === 'masculine') return words;
  const [hard, soft] = ENDINGS[form];
  if (words.endsWith('третий')) return words.slice(0, -2) + soft;
  return words.slice(0, -2) + hard;
}
