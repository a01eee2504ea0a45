import { wordsOf } from '../../media/text/words.js';

interface Phrases {
  /** Entries of a single word without a star. */
  readonly words: ReadonlySet<string>;
  /** The other entries, each as the matchers of its words. */
  readonly others: readonly (readonly Matcher[])[];
}

type Matcher = (word: string) => boolean;

/** A parsed list of a `TurnWords`: finds its entries in words, or at their end. */
export class PhraseMatcher {
  readonly #phrases: Phrases;

  /** @param list - entries separated by spaces, `_` between the words of a phrase, `*` for any letters */
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

  /** Whether the last of `words` form an entry. */
  endsWithEntry(words: readonly string[]): boolean {
    const last = words.at(-1);
    if (last === undefined) return false;
    const { words: single, others } = this.#phrases;
    if (single.has(last)) return true;
    return others.some((parts) => fits(parts, words, words.length - parts.length));
  }

  isIn(words: readonly string[]): boolean {
    return words.some((_, i) => this.endsWithEntry(words.slice(0, i + 1)));
  }
}

function fits(parts: readonly Matcher[], words: readonly string[], from: number): boolean {
  return from >= 0 && parts.every((part, i) => part(words[from + i]!));
}

/** The words of an entry as the language's segmenter splits them; stars stay at both ends. */
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
