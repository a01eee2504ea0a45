import type { SpokenWord } from '../english-g2p/front-end.js';

/** A word of a part; its phonemes are the ids `from`…`to` (half-open) of the part. */
interface PhonemeWord {
  readonly textStart: number;
  readonly textEnd: number;
  readonly from: number;
  readonly to: number;
}

/** Input of one encoder run: ids with a pad at each end, and their words. */
export interface PhonemePart {
  readonly ids: readonly number[];
  readonly words: readonly PhonemeWord[];
}

/** Maximum number of phonemes in the model's training examples. */
export const MAX_PART_PHONEMES = 400;
/** Preferred place to split a text that is too long. */
const CLAUSE_END = /[,;:.!?…—]["”)]*$/u;
/** Clauses of fewer phonemes are not split off: they would not sound like a sentence. */
const MIN_CLAUSE_PHONEMES = 100;
const PAUSES = /^[;:,.!?—…"()“”\s]*$/u;

interface Token {
  readonly word: SpokenWord;
  readonly ids: readonly number[];
  /** Not punctuation. */
  readonly isSpoken: boolean;
  /** The first token of its word. */
  readonly isOnset: boolean;
}

/**
 * Converts words to the model's ids. Unknown phonemes are left out. More than 400 phonemes are split into
 * parts, after a clause if one ends late enough, otherwise after a word; a word of more than 400 phonemes
 * is split inside.
 *
 * @param vocabulary - id of each phoneme
 * @param start - position of the words' text in the utterance
 */
export function phonemeParts(
  words: readonly SpokenWord[],
  vocabulary: ReadonlyMap<string, number>,
  start = 0,
): PhonemePart[] {
  const space = vocabulary.get(' ');
  const tokens = words.flatMap((word) => tokensOf(word, vocabulary));
  const parts: PhonemePart[] = [];
  for (let from = 0; from < tokens.length; ) {
    const to = endOfPart(tokens, from);
    const own = tokens.slice(from, to);
    if (own.some((token) => token.isSpoken)) parts.push(joinTokens(own, space, start));
    from = to;
  }
  return parts;
}

function tokensOf(word: SpokenWord, vocabulary: ReadonlyMap<string, number>): Token[] {
  const ids = [...word.phonemes].flatMap((phoneme) => vocabulary.get(phoneme) ?? []);
  const isSpoken = ids.length > 0 && !PAUSES.test(word.phonemes);
  const tokens: Token[] = [];
  for (let at = 0; at < Math.max(1, ids.length); at += MAX_PART_PHONEMES - 1) {
    tokens.push({
      word,
      ids: ids.slice(at, at + MAX_PART_PHONEMES - 1),
      isSpoken,
      isOnset: at === 0,
    });
  }
  return tokens;
}

/** Index after the last token of the part that starts at `from`. */
function endOfPart(tokens: readonly Token[], from: number): number {
  let length = 0;
  let clause: number | undefined;
  for (let i = from; i < tokens.length; i++) {
    const { ids, word } = tokens[i]!;
    length += ids.length;
    if (length > MAX_PART_PHONEMES) return clause ?? Math.max(i, from + 1);
    if (length >= MIN_CLAUSE_PHONEMES && CLAUSE_END.test(word.phonemes)) clause = i + 1;
    if (word.whitespaceAfter) length++;
  }
  return tokens.length;
}

function joinTokens(
  tokens: readonly Token[],
  space: number | undefined,
  start: number,
): PhonemePart {
  const ids = [0];
  const words: PhonemeWord[] = [];
  tokens.forEach(({ word, ids: own, isSpoken, isOnset }, index) => {
    const from = ids.length;
    ids.push(...own);
    if (isSpoken && isOnset) {
      const { textStart, textEnd } = word;
      addWord(words, {
        textStart: start + textStart,
        textEnd: start + textEnd,
        from,
        to: ids.length,
      });
    }
    const isLast = index === tokens.length - 1;
    const isSplit = tokens[index + 1]?.word === word;
    if (word.whitespaceAfter && !isLast && !isSplit && space !== undefined) ids.push(space);
  });
  ids.push(0);
  return { ids, words };
}

/** Merges words that are spoken for one written word, as "five dollars" for "$5". */
function addWord(words: PhonemeWord[], word: PhonemeWord): void {
  const before = words.at(-1);
  if (!before || before.textEnd <= word.textStart) {
    words.push(word);
    return;
  }
  words[words.length - 1] = {
    textStart: Math.min(before.textStart, word.textStart),
    textEnd: Math.max(before.textEnd, word.textEnd),
    from: before.from,
    to: word.to,
  };
}
