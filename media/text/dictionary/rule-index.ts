import type { SteppedTask } from '../../async/cooperative.js';

/** Keys that are sorted, merged or counted in one step. */
const KEYS_AT_ONCE = 500;

/** A word in its form for the search (see `keyOf`), and the order of its rule. */
export interface RuleKey {
  readonly key: string;
  /** Of rules with the same key, the lowest order applies. */
  readonly order: number;
}

/** The end of a match in UTF-16 units of the text, and the order of its rule. */
export interface FoundKey {
  readonly end: number;
  readonly order: number;
}

/**
 * Finds the longest of many words at a position of a text. The words are sorted, and each character of the text
 * narrows the range of possible words. The index needs little more memory than the words.
 */
export class RuleIndex {
  readonly #keys: readonly string[];
  readonly #orders: Int32Array;
  /** The range of keys (half-open) for each first UTF-16 unit. */
  readonly #ranges = new Map<number, readonly [from: number, to: number]>();

  /** @param entries - in the order of their keys, each key once */
  constructor(entries: readonly RuleKey[]) {
    this.#keys = entries.map(({ key }) => key);
    this.#orders = Int32Array.from(entries, ({ order }) => order);
    for (let from = 0; from < this.#keys.length; ) {
      const unit = this.#keys[from]!.charCodeAt(0);
      let to = from + 1;
      while (to < this.#keys.length && this.#keys[to]!.charCodeAt(0) === unit) to++;
      this.#ranges.set(unit, [from, to]);
      from = to;
    }
  }

  /**
   * Returns the longest key that matches `text` at `start`.
   * @param isEnd - whether a match may end at this UTF-16 index
   */
  longestAt(text: string, start: number, isEnd: (unit: number) => boolean): FoundKey | undefined {
    const range = this.#ranges.get(text.charCodeAt(start));
    if (!range) return undefined;
    let [from, to] = range;
    let found: FoundKey | undefined;
    for (let length = 1; from < to; length++) {
      const end = start + length;
      // In the sorted range, a key that is a prefix of the others is the first.
      if (this.#keys[from]!.length === length) {
        if (isEnd(end)) found = { end, order: this.#orders[from]! };
        from++;
      }
      if (end >= text.length) break;
      const unit = text.charCodeAt(end);
      from = this.#firstNotBelow(unit, length, from, to);
      to = this.#firstNotBelow(unit + 1, length, from, to);
    }
    return found;
  }

  /** Returns the index of the first key in `from`…`to` whose unit at `depth` is `unit` or higher. */
  #firstNotBelow(unit: number, depth: number, from: number, to: number): number {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#keys[middle]!.charCodeAt(depth) < unit) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Creates the index of unsorted words, in steps. */
export function* ruleIndex(entries: readonly RuleKey[]): SteppedTask<RuleIndex> {
  let runs: RuleKey[][] = [];
  for (let at = 0; at < entries.length; at += KEYS_AT_ONCE) {
    runs.push(entries.slice(at, at + KEYS_AT_ONCE).sort(compareKeys));
    yield;
  }
  while (runs.length > 1) {
    const longer: RuleKey[][] = [];
    for (let i = 0; i < runs.length; i += 2)
      longer.push(yield* merged(runs[i]!, runs[i + 1] ?? []));
    runs = longer;
  }
  const all = runs[0] ?? [];
  const once = all.filter(({ key }, i) => key !== '' && (i === 0 || all[i - 1]!.key !== key));
  yield;
  return new RuleIndex(once);
}

function* merged(one: readonly RuleKey[], other: readonly RuleKey[]): SteppedTask<RuleKey[]> {
  const all: RuleKey[] = [];
  for (let i = 0, j = 0; i < one.length || j < other.length; ) {
    const isOne = j === other.length || (i < one.length && compareKeys(one[i]!, other[j]!) <= 0);
    all.push(isOne ? one[i++]! : other[j++]!);
    if (all.length % KEYS_AT_ONCE === 0) yield;
  }
  return all;
}

/** Sorts by UTF-16 units, and equal keys by the order of their rules. */
function compareKeys(a: RuleKey, b: RuleKey): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.order - b.order;
}
