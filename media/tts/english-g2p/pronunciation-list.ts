import type { JsonIndex } from './json-index.js';

/** Phonemes of a word, by part of speech if that matters; `null` means that the word is spelt. */
export type WordEntry = string | Readonly<Record<string, string | null>>;

const REMEMBERED = 20_000;

/**
 * One of the lexicon's two lists. A word in lower case is also found under its capitalised form
 * and the other way round, unless that form has its own entry.
 */
export class PronunciationList {
  readonly #index: JsonIndex;
  readonly #remembered = new Map<string, WordEntry | undefined>();

  constructor(index: JsonIndex) {
    this.#index = index;
  }

  get(word: string): WordEntry | undefined {
    if (this.#remembered.has(word)) return this.#remembered.get(word);
    const entry = this.#read(word) ?? this.#readOtherCase(word);
    if (this.#remembered.size >= REMEMBERED) this.#remembered.clear();
    this.#remembered.set(word, entry);
    return entry;
  }

  has(word: string): boolean {
    return this.get(word) !== undefined;
  }

  #read(word: string): WordEntry | undefined {
    const json = this.#index.get(word);
    return json === undefined ? undefined : (JSON.parse(json) as WordEntry);
  }

  #readOtherCase(word: string): WordEntry | undefined {
    if (word.length < 2) return undefined;
    const lower = word.toLowerCase();
    const capitalised = lower.charAt(0).toUpperCase() + lower.slice(1);
    if (capitalised === lower) return undefined;
    if (word === lower) return this.#read(capitalised);
    return word === capitalised ? this.#read(lower) : undefined;
  }
}
