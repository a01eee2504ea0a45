/** A word to look for, in the form in which texts are looked through, and its rule's place. */
export interface RuleKey {
  readonly key: string;
  /** Of two rules for the same key the lower order wins. */
  readonly order: number;
}

/** The end of what was found, in units of the text, and the order of its rule. */
export interface FoundKey {
  readonly end: number;
  readonly order: number;
}

/**
 * Finds the longest of many words at a place of a text: the words stand in order, and each character
 * narrows the range of those that still fit. So it takes no more room than the words themselves.
 */
export class RuleIndex {
  readonly #keys: readonly string[];
  readonly #orders: Int32Array;
  /** Of each first unit, the range of its keys (half-open). */
  readonly #ranges = new Map<number, readonly [from: number, to: number]>();

  constructor(entries: readonly RuleKey[]) {
    const orders = new Map<string, number>();
    for (const { key, order } of entries) {
      if (key !== '' && order < (orders.get(key) ?? Number.POSITIVE_INFINITY)) {
        orders.set(key, order);
      }
    }
    this.#keys = [...orders.keys()].sort();
    this.#orders = Int32Array.from(this.#keys, (key) => orders.get(key)!);
    for (let from = 0; from < this.#keys.length; ) {
      const unit = this.#keys[from]!.charCodeAt(0);
      let to = from + 1;
      while (to < this.#keys.length && this.#keys[to]!.charCodeAt(0) === unit) to++;
      this.#ranges.set(unit, [from, to]);
      from = to;
    }
  }

  get isEmpty(): boolean {
    return this.#keys.length === 0;
  }

  /** The longest key that `text` has at `start` and whose end suits. */
  longestAt(text: string, start: number, isEnd: (unit: number) => boolean): FoundKey | undefined {
    const range = this.#ranges.get(text.charCodeAt(start));
    if (!range) return undefined;
    let [from, to] = range;
    let found: FoundKey | undefined;
    for (let length = 1; from < to; length++) {
      const end = start + length;
      // What begins like the others and is done comes first.
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

  /** The first key of the range whose unit at `depth` is `unit` or higher. */
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
