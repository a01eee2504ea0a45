/** A plain number: digits with or without thousands commas, and decimals. */
export const NUMBER = '\\d+(?:,\\d{3})*(?:\\.\\d+)?';

/** A pattern's part that matches any of the words, the longest first. */
export function anyOf(words: Iterable<string>): string {
  return [...words]
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('|');
}

export function isOne(number: string): boolean {
  return /^-?1(?:\.0)?$/.test(number);
}

/** Words in the place of `match`, parted by a space from letters and digits that touch it. */
export function setApart(match: RegExpExecArray, words: string): string {
  const { input, index } = match;
  const before = /[\p{L}\p{N}]$/u.test(input.slice(Math.max(0, index - 2), index)) ? ' ' : '';
  const end = index + match[0].length;
  const behind = /^[\p{L}\p{N}]/u.test(input.slice(end, end + 2)) ? ' ' : '';
  return before + words + behind;
}
