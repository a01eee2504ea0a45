const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = '_ _ twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const SCALES = [
  [1_000_000_000, 'billion'],
  [1_000_000, 'million'],
  [1000, 'thousand'],
  [100, 'hundred'],
] as const;
const ORDINALS: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};
/** Spelling variants that speech recognisers use interchangeably. */
const SAME: Readonly<Record<string, string>> = {
  mister: 'mr',
  doctor: 'dr',
  missus: 'mrs',
  okay: 'ok',
  oh: 'zero',
  o: 'zero',
};
/** Optional words in spoken numbers. */
const SILENT = new Set(['and', '']);

export interface WordErrors {
  readonly errors: number;
  readonly words: number;
}

/**
 * Counts substituted, deleted and inserted words, as the word error rate does. A number in digits
 * has several readings; the one nearest to `wanted` counts.
 */
export function wordErrors(wanted: string, found: string): WordErrors {
  const reference = wordsOf(wanted);
  const errors = Math.min(
    ...readings(found).map((reading) => distance(reference, wordsOf(reading))),
  );
  return { errors, words: reference.length };
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll(/\b([ap])\.\s?m\.?/g, '$1m')
    .replaceAll(/['’.]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => SAME[word] ?? word)
    .filter((word) => !SILENT.has(word));
}

/** The text with digits as words, in every combination of readings (at most 256). */
function readings(text: string): string[] {
  let texts = [''];
  for (const part of text.split(/(\$?\d[\d,]*(?:[.:]\d+)?(?:st|nd|rd|th|%)?)/)) {
    const ways = /^\$?\d/.test(part) ? numberReadings(part) : [part];
    texts = texts.flatMap((before) => ways.map((way) => `${before} ${way}`)).slice(0, 256);
  }
  return texts;
}

function numberReadings(part: string): string[] {
  const digits = part.replaceAll(/[$,%]|st|nd|rd|th/g, '');
  const [whole = '0', rest] = digits.split(/[.:]/);
  const value = Number(whole);
  if (part.startsWith('$')) {
    const cents = rest ? ` ${cardinal(Number(rest))} cents` : '';
    const unit = value === 1 ? 'dollar' : 'dollars';
    return [`${cardinal(value)} ${unit}${cents}`, `${cardinal(value)} ${rest ?? ''} ${unit}`];
  }
  if (part.includes(':')) {
    const minutes = Number(rest);
    if (minutes === 0) return [cardinal(value), `${cardinal(value)} o'clock`];
    return [`${cardinal(value)} ${minutes < 10 ? 'oh ' : ''}${cardinal(minutes)}`];
  }
  if (/(st|nd|rd|th)$/.test(part)) return [ordinal(value)];
  const spelt = [...whole].map((digit) => ONES[Number(digit)]).join(' ');
  const unit = part.endsWith('%') ? ' percent' : '';
  if (rest !== undefined) {
    const decimals = [...rest].map((digit) => ONES[Number(digit)]).join(' ');
    return [`${cardinal(value)} point ${decimals}${unit}`];
  }
  const pairs = whole.length === 4 ? [yearOf(value)] : [];
  return [`${cardinal(value)}${unit}`, ...pairs, ...(whole.length > 1 ? [spelt] : [])];
}

function cardinal(value: number): string {
  for (const [scale, name] of SCALES) {
    if (value < scale) continue;
    const rest = value % scale;
    const head = `${cardinal(Math.floor(value / scale))} ${name}`;
    return rest === 0 ? head : `${head} ${cardinal(rest)}`;
  }
  if (value < 20) return ONES[value]!;
  const tens = TENS[Math.floor(value / 10)]!;
  return value % 10 === 0 ? tens : `${tens} ${ONES[value % 10]}`;
}

function yearOf(value: number): string {
  const low = value % 100;
  const high = cardinal(Math.floor(value / 100));
  if (low === 0) return `${high} hundred`;
  return low < 10 ? `${high} oh ${cardinal(low)}` : `${high} ${cardinal(low)}`;
}

function ordinal(value: number): string {
  const words = cardinal(value).split(' ');
  const last = words.pop()!;
  const ending = ORDINALS[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`);
  return [...words, ending].join(' ');
}

/** Levenshtein distance over words. */
function distance(wanted: readonly string[], found: readonly string[]): number {
  let row = Array.from({ length: found.length + 1 }, (_, i) => i);
  for (const [i, word] of wanted.entries()) {
    const next = [i + 1];
    for (const [j, other] of found.entries()) {
      const change = row[j]! + (word === other ? 0 : 1);
      next.push(Math.min(change, row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row[found.length]!;
}
