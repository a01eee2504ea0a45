import { ENGLISH_TABLES } from '../word-lists/en.js';

const ONES = ENGLISH_TABLES.ones.split(' ');
const TENS = ENGLISH_TABLES.tens.split(' ');
const SCALES = ENGLISH_TABLES.scales.split(' ');
const IRREGULAR_ORDINALS: ReadonlyMap<string, string> = new Map(
  Object.entries(ENGLISH_TABLES.irregularOrdinals),
);

/** The words for one to nineteen and for the tens. */
export const SMALL_NUMBERS: readonly string[] = [...ONES.slice(1), ...TENS.slice(2)];

/** Pattern of a number: digits with or without commas between thousands, and decimals. */
export const ENGLISH_NUMBER = '\\d+(?:,\\d{3})*(?:\\.\\d+)?';

/** Whether a written number is 1 or 1.0, with or without a minus sign. */
export function isOne(number: string): boolean {
  return /^-?1(?:\.0)?$/.test(number);
}

/**
 * Returns a cardinal number in words: "four hundred twenty-five". Numbers above the largest scale are read digit
 * by digit.
 * @param number - digits only
 */
export function englishCardinal(number: string | number): string {
  const digits = String(number).replace(/^0+(?=\d)/, '');
  if (digits.length > SCALES.length * 3) return digitByDigit(digits);
  const words: string[] = [];
  for (let end = digits.length, scale = 0; end > 0; end -= 3, scale++) {
    const group = Number(digits.slice(Math.max(0, end - 3), end));
    if (group > 0) words.unshift(...belowThousand(group), ...(scale > 0 ? [SCALES[scale]!] : []));
  }
  return words.length > 0 ? words.join(' ') : ONES[0]!;
}

/** Returns an ordinal number in words: "twenty-first". @param number - digits only */
export function englishOrdinal(number: string | number): string {
  return englishCardinal(number).replace(/[a-z]+$/, (last) => {
    const irregular = IRREGULAR_ORDINALS.get(last);
    if (irregular) return irregular;
    return last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`;
  });
}

/**
 * Returns a year in words: "nineteen oh five", "two thousand five", "twenty ten".
 * @param digits - four digits
 */
export function year(digits: string): string {
  const century = Number(digits.slice(0, -2));
  const rest = Number(digits.slice(-2));
  if (century === 0 || (century % 10 === 0 && rest < 10)) return englishCardinal(digits);
  if (rest === 0) return `${englishCardinal(century)} hundred`;
  return `${englishCardinal(century)} ${rest < 10 ? 'oh ' : ''}${englishCardinal(rest)}`;
}

/** Returns the names of the digits: "five five zero". The voices were trained with "zero", not with "oh". */
export function digitByDigit(digits: string): string {
  return Array.from(digits, (digit) => ONES[Number(digit)]!).join(' ');
}

/**
 * Returns the number of a name such as "A380" or "F-16" in words: "three eighty", "sixteen".
 * @param digits - digits only
 */
export function inName(digits: string): string {
  if (digits.length === 4 && !digits.startsWith('0')) return year(digits);
  if (digits.length > 3 || digits.startsWith('0')) return digitByDigit(digits);
  if (digits.length < 3 || digits.endsWith('00')) return englishCardinal(digits);
  const rest = digits.slice(1);
  return `${englishCardinal(digits[0]!)} ${rest.startsWith('0') ? `oh ${englishCardinal(rest)}` : englishCardinal(rest)}`;
}

/** Returns the plural of a number in words: "nineties", "hundreds", "sixes". */
export function pluralOf(words: string): string {
  return words.replace(/[a-z]+$/, (last) => {
    if (last.endsWith('y')) return `${last.slice(0, -1)}ies`;
    return last.endsWith('x') ? `${last}es` : `${last}s`;
  });
}

/** Replaces hyphens with spaces, as in the training data of the voices: "forty five". */
export function apart(words: string): string {
  return words.replaceAll('-', ' ');
}

function belowThousand(number: number): string[] {
  const words = number >= 100 ? [ONES[Math.floor(number / 100)]!, 'hundred'] : [];
  const rest = number % 100;
  if (rest >= 20)
    words.push(TENS[Math.floor(rest / 10)]! + (rest % 10 ? `-${ONES[rest % 10]}` : ''));
  else if (rest > 0) words.push(ONES[rest]!);
  return words;
}
