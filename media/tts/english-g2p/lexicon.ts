import type { Dialect } from '../../languages.js';
import { type Inflection, inflectionsOf } from './inflections.js';
import type { SoundContext } from './phonetic-context.js';
import type { PronunciationList, WordEntry } from './pronunciation-list.js';
import { PRIMARY, SECONDARY, type Stress, withStress } from './stress.js';

/** A word with the result of the tagger. */
export interface TaggedWord {
  readonly text: string;
  /** Penn Treebank tag. */
  readonly tag: string;
}

interface Lookup {
  readonly tag: string | undefined;
  readonly stress: Stress | undefined;
  readonly context: SoundContext | undefined;
}

const PLAIN: Lookup = { tag: undefined, stress: undefined, context: undefined };
const SPOKEN_SIGNS: ReadonlyMap<string, string> = new Map([
  ['%', 'percent'],
  ['&', 'and'],
  ['+', 'plus'],
  ['@', 'at'],
]);
const ONLY_LETTERS = /^\p{L}+$/u;
const PLAIN_WORD = /^[A-Za-z'-]+$/;
const FEW_LETTERS_BETWEEN_DOTS = /^\p{L}{0,2}(?:\.\p{L}{0,2})+$/u;
const CURLY = /[‘’]/g;

/** Finds the pronunciation of a word in the two lists, by its part of speech and the sound that follows. */
export class Lexicon {
  readonly #gold: PronunciationList;
  readonly #silver: PronunciationList;
  readonly #dialect: Dialect;

  constructor(gold: PronunciationList, silver: PronunciationList, dialect: Dialect) {
    this.#gold = gold;
    this.#silver = silver;
    this.#dialect = dialect;
  }

  /** The word's phonemes; `undefined` if neither the word nor its base form is in a list. */
  read(word: TaggedWord, context: SoundContext): string | undefined {
    const text = word.text.replace(CURLY, "'").normalize('NFKC');
    const lower = text.toLowerCase();
    const capitals: Stress = text === text.toUpperCase() ? 'strong' : 'marked';
    const query: Lookup = { tag: word.tag, stress: text === lower ? undefined : capitals, context };
    const special = this.#functionWord(text, query, context);
    if (special !== undefined) return special;
    return this.#inList(this.#isOnlyCapitalised(text, lower, query) ? lower : text, query);
  }

  /** Names of the letters, with the main stress on the last one: "FBI". */
  spell(word: string): string | undefined {
    const names: string[] = [];
    for (const letter of word) {
      if (!ONLY_LETTERS.test(letter)) continue;
      const name = this.#gold.get(letter.toUpperCase());
      if (typeof name !== 'string') return undefined;
      names.push(name);
    }
    if (names.length === 1) return names[0];
    const even = withStress(names.join(''), 'reduced');
    const last = even.lastIndexOf(SECONDARY);
    return last < 0 ? even : even.slice(0, last) + PRIMARY + even.slice(last + 1);
  }

  #inList(word: string, query: Lookup): string | undefined {
    if (this.#isKnown(word)) return this.#lookup(word, query);
    if (word.endsWith("s'") && this.#isKnown(`${word.slice(0, -2)}'s`)) {
      return this.#lookup(`${word.slice(0, -2)}'s`, query);
    }
    if (word.endsWith("'") && this.#isKnown(word.slice(0, -1))) {
      return this.#lookup(word.slice(0, -1), query);
    }
    for (const inflection of inflectionsOf(word)) {
      const stress = inflection.ending === 'ing' ? (query.stress ?? 'marked') : query.stress;
      const phonemes = this.#inflected(inflection, { ...query, stress });
      if (phonemes !== undefined) return phonemes;
    }
    return undefined;
  }

  #inflected(inflection: Inflection, query: Lookup): string | undefined {
    const stem = inflection.stems.find((candidate) => this.#isKnown(candidate));
    const phonemes = stem === undefined ? undefined : this.#lookup(stem, query);
    return phonemes ? inflection.add(phonemes, this.#dialect) : undefined;
  }

  /** The lower-case form of a word in capitals, at the start of a sentence or for emphasis. */
  #isOnlyCapitalised(word: string, lower: string, query: Lookup): boolean {
    if (word.length < 2 || word === lower || !ONLY_LETTERS.test(word.replaceAll("'", '')))
      return false;
    if (query.tag === 'NNP' && word.length <= 7) return false;
    if (this.#isListed(word)) return false;
    if (word !== word.toUpperCase() && word.slice(1) !== lower.slice(1)) return false;
    return (
      this.#isListed(lower) ||
      inflectionsOf(lower).some((inflection) => this.#inflected(inflection, query) !== undefined)
    );
  }

  #isListed(word: string): boolean {
    return this.#gold.has(word) || this.#silver.has(word);
  }

  /** The word is in a list or consists of letters that can be spelt. */
  #isKnown(word: string): boolean {
    if (this.#isListed(word) || SPOKEN_SIGNS.has(word)) return true;
    if (!ONLY_LETTERS.test(word) || !PLAIN_WORD.test(word)) return false;
    if (word.length === 1) return true;
    if (word === word.toUpperCase() && this.#gold.has(word.toLowerCase())) return true;
    return word.slice(1) === word.slice(1).toUpperCase();
  }

  #lookup(written: string, query: Lookup): string | undefined {
    const isShouted = written === written.toUpperCase() && !this.#gold.has(written);
    const word = isShouted ? written.toLowerCase() : written;
    const isName = isShouted && query.tag === 'NNP';
    const entry = this.#gold.get(word) ?? (isName ? undefined : this.#silver.get(word));
    const phonemes = entry === undefined ? undefined : pick(entry, query);
    if (phonemes === undefined || (isName && !phonemes.includes(PRIMARY))) {
      const spelt = this.spell(word);
      if (spelt !== undefined) return spelt;
    }
    return phonemes === undefined ? undefined : withStress(phonemes, query.stress);
  }

  #plain(word: string): string | undefined {
    return this.#lookup(word, PLAIN);
  }

  /** Function words whose pronunciation depends on their part of speech and the sound that follows. */
  #functionWord(word: string, query: Lookup, context: SoundContext): string | undefined {
    const tag = query.tag ?? '';
    const sign = SPOKEN_SIGNS.get(word);
    if (sign !== undefined) return this.#lookup(sign, { ...PLAIN, context });
    if (FEW_LETTERS_BETWEEN_DOTS.test(word) && /\.\p{L}/u.test(word.replace(/^\.+/, ''))) {
      return this.spell(word);
    }
    switch (word.toLowerCase()) {
      case 'a':
        return tag === 'DT' ? 'ɐ' : 'ˈA';
      case 'am':
        return this.#am(word, tag, query, context);
      case 'an':
        return word === 'AN' && tag.startsWith('NN') ? this.spell(word) : 'ɐn';
      case 'i':
        return word === 'I' && tag === 'PRP' ? `${SECONDARY}I` : undefined;
      case 'by':
        return tag.startsWith('RB') || tag.startsWith('ADV') ? 'bˈI' : undefined;
      case 'to':
        return word === 'TO' && tag !== 'TO' && tag !== 'IN' ? undefined : this.#to(context);
      case 'in': {
        if (word === 'IN' && tag === 'NNP') return undefined;
        return context.next === 'pause' || tag !== 'IN' ? `${PRIMARY}ɪn` : 'ɪn';
      }
      case 'the': {
        if (word === 'THE' && tag !== 'DT') return undefined;
        return context.next === 'vowel' ? 'ði' : 'ðə';
      }
      case 'vs':
      case 'vs.':
        return tag === 'IN' ? this.#plain('versus') : undefined;
      case 'used':
        return this.#used(tag, context);
      default:
        return undefined;
    }
  }

  #am(word: string, tag: string, query: Lookup, context: SoundContext): string | undefined {
    if (tag.startsWith('NN')) return this.spell(word);
    if (context.next === 'pause' || word !== 'am' || query.stress) return this.#plain('am');
    return 'ɐm';
  }

  #to(context: SoundContext): string | undefined {
    if (context.next === 'pause') return this.#plain('to');
    return context.next === 'vowel' ? 'tʊ' : 'tə';
  }

  #used(tag: string, context: SoundContext): string | undefined {
    const isHabit = context.beforeTo && (tag === 'VBD' || tag === 'JJ');
    const entry = this.#gold.get('used');
    return entry && pick(entry, { ...PLAIN, tag: isHabit ? 'VBD' : 'DEFAULT' });
  }
}

function pick(entry: WordEntry, { tag, context }: Lookup): string | undefined {
  if (typeof entry === 'string') return entry;
  if (context?.next === 'pause' && 'None' in entry) return entry.None ?? undefined;
  for (const key of [tag, partOfSpeech(tag), 'DEFAULT']) {
    const phonemes = key === undefined ? undefined : entry[key];
    if (phonemes !== undefined) return phonemes ?? undefined;
  }
  return undefined;
}

function partOfSpeech(tag: string | undefined): string | undefined {
  if (tag?.startsWith('VB')) return 'VERB';
  if (tag?.startsWith('NN')) return 'NOUN';
  if (tag?.startsWith('ADV') || tag?.startsWith('RB')) return 'ADV';
  if (tag?.startsWith('ADJ') || tag?.startsWith('JJ')) return 'ADJ';
  return tag;
}
