import { textWordsOf } from './word-lists/registry.js';
import type { TextWords } from './word-lists/text-words.js';

/** The lists of `TextWords.fullStops` in parsed form. */
export interface Abbreviations {
  readonly inside: ReadonlySet<string>;
  readonly beforeNumber: ReadonlySet<string>;
  readonly either: ReadonlySet<string>;
  readonly unnumbered: ReadonlySet<string>;
  readonly insideEndings: readonly string[];
  /** Abbreviations with several parts: the first parts, such as `i.d`, and the parts that may follow. */
  readonly parts: ReadonlyMap<string, readonly string[]>;
  readonly ordinals: TextWords['fullStops']['ordinals'];
}

/** For a language without a list. */
const DEFAULT: TextWords['fullStops'] = {
  inside: '',
  beforeNumber: '',
  either: 'etc',
  unnumbered: '',
  insideEndings: '',
  ordinals: 'none',
};

/** Returns the abbreviations of a language. @param language - ISO 639-1; others get a short default list */
export function abbreviationsOf(language: string): Abbreviations {
  const stops = textWordsOf(language)?.fullStops ?? DEFAULT;
  const inside = listOf(stops.inside);
  const either = listOf(stops.either);
  return {
    inside: new Set(inside),
    beforeNumber: new Set(listOf(stops.beforeNumber)),
    either: new Set(either),
    unnumbered: new Set(listOf(stops.unnumbered)),
    insideEndings: listOf(stops.insideEndings),
    parts: partsOf([...inside, ...either]),
    ordinals: stops.ordinals,
  };
}

function listOf(words: string): string[] {
  return words === '' ? [] : words.split(' ');
}

/** Maps the first parts of each abbreviation to the next one: "z" → "b", "i.d" → "r". */
function partsOf(abbreviations: readonly string[]): Map<string, string[]> {
  const parts = new Map<string, string[]>();
  for (const abbreviation of abbreviations) {
    const pieces = abbreviation.split('.');
    for (let i = 1; i < pieces.length; i++) {
      const before = pieces.slice(0, i).join('.');
      parts.set(before, [...(parts.get(before) ?? []), pieces[i]!]);
    }
  }
  return parts;
}
