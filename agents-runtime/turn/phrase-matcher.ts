import { wordsOf } from '../../media/text/words.js';

interface Phrases {
  /** Single words that are spelt out. */
  readonly words: ReadonlySet<string>;
  /** All else, the word-parts of each in order. */
  readonly others: readonly (readonly Matcher[])[];
}

type Matcher = (word: string) => boolean;

/** A list of the cue tables, made ready: whether words hold one of its entries, or end with one. */
export class PhraseMatcher {
  readonly #phrases: Phrases;

  /** @param list words with spaces between, `_` inside a phrase, `*` for any letters. */
  constructor(list: string, language: string) {
    const words = new Set<string>();
    const others: Matcher[][] = [];
    for (const entry of list.split(' ')) {
      const parts = entry.split('_').flatMap((part) => partsOf(part, language));
      if (parts.length === 1 && !entry.includes('*')) words.add(parts[0]!);
      else others.push(parts.map(matcherOf));
    }
    this.#phrases = { words, others };
  }

  has(word: string): boolean {
    const { words, others } = this.#phrases;
    return words.has(word) || others.some((parts) => parts.length === 1 && parts[0]!(word));
  }

  /** How many words at the end of `words` are one entry; 0: none. */
  endOf(words: readonly string[]): number {
    const last = words.at(-1);
    if (last === undefined) return 0;
    for (const parts of this.#phrases.others) {
      if (fits(parts, words, words.length - parts.length)) return parts.length;
    }
    return this.#phrases.words.has(last) ? 1 : 0;
  }

  isIn(words: readonly string[]): boolean {
    return words.some((_, i) => this.endOf(words.slice(0, i + 1)) > 0);
  }
}

function fits(parts: readonly Matcher[], words: readonly string[], from: number): boolean {
  return from >= 0 && parts.every((part, i) => part(words[from + i]!));
}

/** A word as the language's segmenter cuts it; stars stay where they stand. */
function partsOf(part: string, language: string): string[] {
  const parts = wordsOf(part, language);
  const first = parts[0];
  if (first === undefined) return [];
  if (part.startsWith('*')) parts[0] = `*${first}`;
  if (part.endsWith('*')) parts[parts.length - 1] += '*';
  return parts;
}

function matcherOf(part: string): Matcher {
  const text = part.replaceAll('*', '');
  if (part.startsWith('*') && part.endsWith('*')) return (word) => word.includes(text);
  if (part.startsWith('*')) return (word) => word.endsWith(text);
  if (part.endsWith('*')) return (word) => word.startsWith(text);
  return (word) => word === text;
}
