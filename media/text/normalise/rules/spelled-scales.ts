/** A power of ten and its spoken form. */
export interface Scale {
  /** For example 1e6. */
  readonly of: number;
  /** Returns `count` times the power in words. */
  say(count: number): string;
}

/**
 * Returns the parts of a number in words, the largest first.
 * @param scales - the largest first
 * @param small - returns the rest below the smallest scale in words
 */
export function inScales(
  value: number,
  scales: readonly Scale[],
  small: (rest: number) => string,
): string[] {
  const parts: string[] = [];
  let rest = value;
  for (const scale of scales) {
    const count = Math.floor(rest / scale.of);
    if (count > 0) parts.push(scale.say(count));
    rest %= scale.of;
  }
  if (rest > 0 || parts.length === 0) parts.push(small(rest));
  return parts;
}

const ROMAN: ReadonlyMap<string, number> = new Map([
  ['I', 1],
  ['V', 5],
  ['X', 10],
  ['L', 50],
  ['C', 100],
]);

/** Part of a pattern for a Roman numeral below 400; also matches an empty text. */
export const ROMAN_NUMERAL = '(?=[IVXLC])C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?!\\p{L})';

/** Returns the value of a Roman numeral; 0 for an empty text. */
export function romanValue(numeral: string): number {
  const values = Array.from(numeral, (letter) => ROMAN.get(letter) ?? 0);
  return values.reduce((sum, value, i) => sum + ((values[i + 1] ?? 0) > value ? -value : value), 0);
}
