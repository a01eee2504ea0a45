import type { TextRange } from '../../text/aligned-text.js';
import type { Pronounced } from '../../text/dictionary/dictionary.js';
import type { PhonemeClause } from '../phonemizer.js';
import { wordsOfPhonemes } from './phoneme-alignment.js';
import type { PiperConfig } from './voice-config.js';

/** A word's range in the text and its phonemes. */
interface PhonemeWord extends TextRange {
  /** Half-open range of ids. */
  readonly from: number;
  readonly to: number;
}

/** Input of one encoder run. */
export interface PiperPhonemeIds {
  readonly ids: readonly number[];
  readonly words: readonly PhonemeWord[];
}

/** Maximum number of ids in one run, more than a normal text has. The rest is not spoken. */
const MAX_IDS = 2_000;
const START = '^';
const PAD = '_';
const END = '$';

/**
 * Converts phonemes to ids: start, each phoneme with a pad after it, end. Unknown phonemes are omitted. Source: the
 * Piper project.
 *
 * @param pronounced - parts of the text with a fixed pronunciation; default: none
 */
export function phonemeIdsOf(
  clauses: readonly PhonemeClause[],
  config: PiperConfig,
  pronounced: readonly Pronounced[] = [],
): PiperPhonemeIds {
  const idsOf = (symbol: string) => config.phonemeIds.get(symbol) ?? [];
  const ids: number[] = [...idsOf(START), ...idsOf(PAD)];
  const words: PhonemeWord[] = [];
  const add = (symbol: string) => {
    const own = idsOf(symbol);
    if (own.length > 0) ids.push(...own, ...idsOf(PAD));
  };
  for (const [i, clause] of clauses.entries()) {
    if (i > 0) add(' ');
    for (const { word, phonemes } of spokenWords(clause, pronounced, config)) {
      const from = ids.length;
      for (const phoneme of phonemes.trimEnd()) add(phoneme);
      if (ids.length > from) addWord(words, { ...word, from, to: ids.length });
      if (phonemes.endsWith(' ')) add(' ');
    }
    add(clause.mark);
    if (ids.length > MAX_IDS) break;
  }
  return { ids: [...ids, ...idsOf(END)], words };
}

/** Adds a word. Words that are spoken for one written word, such as a number, are merged. */
function addWord(words: PhonemeWord[], word: PhonemeWord): void {
  const last = words.at(-1);
  if (!last || last.textEnd <= word.textStart) {
    words.push(word);
    return;
  }
  const textEnd = Math.max(last.textEnd, word.textEnd);
  words[words.length - 1] = { ...last, textEnd, to: word.to };
}

/** Returns the words of a clause with their phonemes. A fixed pronunciation applies if the voice has its phonemes. */
function spokenWords(
  clause: PhonemeClause,
  pronounced: readonly Pronounced[],
  { phonemeIds }: PiperConfig,
): readonly { readonly word: TextRange; readonly phonemes: string }[] {
  const phonemes = [...clause.phonemes.normalize('NFD')];
  const wordAt = wordIndexes(phonemes, clause);
  const said = clause.words.map(() => '');
  for (const [i, phoneme] of phonemes.entries()) said[wordAt[i]!] += phoneme;
  let last: Pronounced | undefined;
  return clause.words.map((word, i) => {
    const own = said[i]!;
    const rule = pronounced.find(
      ({ textStart, textEnd }) => textStart <= word.textStart && word.textEnd <= textEnd,
    );
    const wanted = [...(rule?.ipa.normalize('NFD') ?? '').replaceAll('.', '')];
    if (!rule || !wanted.every((phoneme) => phonemeIds.has(phoneme)))
      return { word, phonemes: own };
    // A rule for several words is spoken once.
    const isSaid = rule === last;
    last = rule;
    return { word, phonemes: isSaid ? '' : `${wanted.join('')}${own.endsWith(' ') ? ' ' : ''}` };
  });
}

/** Returns the index of the word of each phoneme. */
function wordIndexes(phonemes: readonly string[], { alone, words }: PhonemeClause): number[] {
  if (alone.length === words.length && alone.length > 0) {
    const spoken = alone.map((word) => word.normalize('NFD'));
    return wordsOfPhonemes(phonemes, spoken);
  }
  let index = 0;
  return phonemes.map((phoneme) => (phoneme === ' ' ? index++ : index));
}
