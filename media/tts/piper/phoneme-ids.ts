import type { TextRange } from '../../text/aligned-text.js';
import type { Pronounced } from '../../text/dictionary/dictionary.js';
import type { PhonemeClause } from '../phonemizer.js';
import { wordsOfPhonemes } from './phoneme-alignment.js';
import type { PiperConfig } from './voice-config.js';

/** Where a word stands in the text, and which of the ids say it. */
interface PhonemeWord extends TextRange {
  /** Half-open range of ids. */
  readonly from: number;
  readonly to: number;
}

/** What the model gets at once. */
export interface PiperPhonemeIds {
  readonly ids: readonly number[];
  readonly words: readonly PhonemeWord[];
}

/** More ids than any piece of a text has that is spoken at once; what is beyond is not said. */
const MAX_IDS = 2_000;
const START = '^';
const PAD = '_';
const END = '$';

/**
 * Phonemes → ids (Source: the Piper project's way): the start, then each phoneme with a pad behind
 * it, then the end. Phonemes that the voice does not know are left out.
 *
 * @param pronounced parts of the text with the phonemes that they are to be said with.
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

/** Several words that stand for one written one, as for a number, are one. */
function addWord(words: PhonemeWord[], word: PhonemeWord): void {
  const last = words.at(-1);
  if (!last || last.textEnd <= word.textStart) {
    words.push(word);
    return;
  }
  const textEnd = Math.max(last.textEnd, word.textEnd);
  words[words.length - 1] = { ...last, textEnd, to: word.to };
}

/** The words of a clause with their phonemes: what is to be said otherwise is, if the voice can. */
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
    // A rule for several words is said once.
    const isSaid = rule === last;
    last = rule;
    return { word, phonemes: isSaid ? '' : `${wanted.join('')}${own.endsWith(' ') ? ' ' : ''}` };
  });
}

/** Of each phoneme the index of its word. */
function wordIndexes(phonemes: readonly string[], { alone, words }: PhonemeClause): number[] {
  if (alone.length === words.length && alone.length > 0) {
    const spoken = alone.map((word) => word.normalize('NFD'));
    return wordsOfPhonemes(phonemes, spoken);
  }
  let index = 0;
  return phonemes.map((phoneme) => (phoneme === ' ' ? index++ : index));
}
