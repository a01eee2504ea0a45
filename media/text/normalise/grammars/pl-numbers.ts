import { toCardinal } from 'n2words/pl-PL';
import type { Gender } from '../rules/grammar.js';
import { POLISH_TABLES } from '../word-lists/pl.js';

const ONES = POLISH_TABLES.ones.split(' ');
const TENS = POLISH_TABLES.tens.split(' ');
const HUNDREDS = POLISH_TABLES.hundreds.split(' ');
const FIRST = POLISH_TABLES.first.split(' ');
const TENTHS = POLISH_TABLES.tenths.split(' ');
const HUNDREDTHS = POLISH_TABLES.hundredths.split(' ');
const ENDINGS = POLISH_TABLES.endings;

/**
 * Returns the cardinal. One is "jedna" or "jedno" only as a whole number; each number that ends in two is
 * "dwie" before feminine nouns. Source: CLDR rbnf/pl.xml, spellout-cardinal-feminine and -neuter.
 */
export function polishCardinal(value: number, gender: Gender = 'm'): string {
  if (value === 0) return 'zero';
  if (value === 1) return { m: 'jeden', f: 'jedna', n: 'jedno' }[gender];
  const words = toCardinal(value);
  return gender === 'f' ? words.replace(/(^| )dwa$/, '$1dwie') : words;
}

/** Returns the genitive of a number below 1,000,000. Source: Słownik języka polskiego PWN, liczebniki. */
export function polishGenitive(value: number, gender: Gender = 'm'): string | undefined {
  if (value === 0) return 'zera';
  if (value >= 1e6) return undefined;
  if (value === 1) return gender === 'f' ? 'jednej' : 'jednego';
  if (value >= 1000) {
    const thousands = Math.floor(value / 1000);
    const head = thousands === 1 ? 'tysiąca' : `${polishGenitive(thousands)} tysięcy`;
    return value % 1000 === 0 ? head : `${head} ${polishGenitive(value % 1000, gender)}`;
  }
  const rest = value % 100;
  const words = [HUNDREDS[Math.floor(value / 100)]!];
  if (rest < 20) words.push(ONES[rest]!);
  else words.push(TENS[Math.floor(rest / 10)]!, ONES[rest % 10]!);
  const said = words.filter(Boolean).join(' ');
  // In compounds, "jeden" is not declined.
  return said.replace(/ jednego$/, ' jeden');
}

/** Gender, number and case of an ordinal. */
export type PolishOrdinalForm = keyof typeof ENDINGS;

/**
 * Returns the ordinal. Tens and ones are ordinals, the parts before them are cardinals. Source: PWN, liczebniki
 * porządkowe.
 */
export function polishOrdinal(value: number, form: PolishOrdinalForm = 'masculine'): string {
  const [hard, afterG, afterC] = ENDINGS[form];
  const withEnding = (stem: string) => {
    if (stem.endsWith('g')) return stem + afterG;
    return stem + (stem.endsWith('trzec') ? afterC : hard);
  };
  if (value % 1000 === 0 && value > 0) return withEnding(thousandth(value / 1000));
  const rest = value % 100;
  if (rest === 0 && value > 0) {
    const head = value - (value % 1000);
    const hundredth = withEnding(HUNDREDTHS[(value % 1000) / 100]!);
    return head > 0 ? `${polishCardinal(head)} ${hundredth}` : hundredth;
  }
  const words = value > 99 ? [polishCardinal(value - rest)] : [];
  if (rest < 20) words.push(withEnding(FIRST[rest]!));
  else {
    words.push(withEnding(TENTHS[Math.floor(rest / 10)]!));
    if (rest % 10 > 0) words.push(withEnding(FIRST[rest % 10]!));
  }
  return words.join(' ');
}

/** Returns the stem of the ordinal of a multiple of 1,000: "dwutysięczn" for 2. */
function thousandth(thousands: number): string {
  if (thousands === 1) return 'tysięczn';
  const prefix = thousands === 2 ? 'dwu' : (polishGenitive(thousands) ?? '').replaceAll(' ', '');
  return `${prefix}tysięczn`;
}
