import { putNewest } from '../../async/bounded-map.js';
import type { Dialect } from '../../languages.js';
import type { AlignedText, TextRange } from '../../text/aligned-text.js';
import type { Pronounced } from '../../text/dictionary/dictionary.js';
import { englishNormaliser } from '../../text/normalise/english/english-normaliser.js';
import { speltCharacters } from '../../text/normalise/english/spelling.js';
import {
  type FixedPronunciation,
  MAX_PLACEHOLDERS,
  restorePlaceholders,
} from '../../text/normalise/fixed-pronunciations.js';
import type { TextNormaliser } from '../../text/normalise/text-normaliser.js';
import type { EnglishAssets } from './assets.js';
import { addS } from './inflections.js';
import { phonemesOfIpa } from './ipa.js';
import { Lexicon } from './lexicon.js';
import { AT_THE_END, contextBefore, type SoundContext } from './phonetic-context.js';
import { PronunciationList } from './pronunciation-list.js';
import { Tagger } from './tagger.js';
import { type TextToken, Tokenizer } from './tokenizer.js';
import type { PredictPhonemes } from './unknown-word-model.js';
import {
  asOneWord,
  groupWords,
  isSilent,
  joinPhonemes,
  type SaidPart,
  type WordGroup,
  type WordPart,
} from './word-groups.js';

/** The phonemes of a word, number or punctuation mark. */
export interface SpokenWord extends TextRange {
  /** In the alphabet of the voice. A number may become several words, separated by spaces. */
  readonly phonemes: string;
  readonly whitespaceAfter: boolean;
}

const GENITIVE = /^['’]s(?![\p{L}\p{M}\p{N}])/u;
const UNKNOWN_PIECE = /[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*|[^\s\p{L}\p{M}\p{N}]/gu;
const LETTER = /^\p{L}/u;
/** The decimal point. */
const UNSTRESSED_POINT = 'pYnt';
/** Maximum length of an unknown word; the rest is skipped. */
const MAX_UNKNOWN_LENGTH = 72;
const REMEMBERED_UNKNOWN = 5_000;
const SIGNS: ReadonlyMap<string, string> = new Map([
  ['/', 'slash'],
  ['=', 'equals'],
  ['+', 'plus'],
  ['&', 'and'],
  ['@', 'at'],
  ['%', 'percent'],
  ['#', 'hash'],
  ['*', 'asterisk'],
  ['~', 'tilde'],
  ['^', 'caret'],
]);
/** Phonemes of the lexicon → those of the voice. */
const VOICE_SIGNS: Readonly<Record<string, string>> = { ɾ: 'T', ʔ: 't' };

/** Converts English text to phonemes: normalises it, then reads words from the lexicon, by rules or by the model. */
export class EnglishFrontEnd {
  readonly #normaliser: TextNormaliser;
  readonly #tokenizer: Tokenizer;
  readonly #tagger: Tagger;
  readonly #lexicon: Lexicon;
  readonly #predict: PredictPhonemes;
  /** Cached phonemes of unknown words, oldest first. */
  readonly #predicted = new Map<string, string>();
  readonly dialect: Dialect;

  constructor(assets: EnglishAssets, predict: PredictPhonemes) {
    const { dialect } = assets;
    this.dialect = dialect;
    this.#normaliser = englishNormaliser(assets.normaliser, dialect);
    this.#tokenizer = new Tokenizer(assets.tokenizerExceptions);
    this.#tagger = new Tagger(assets.tagger);
    this.#lexicon = new Lexicon(
      new PronunciationList(assets.gold),
      new PronunciationList(assets.silver),
      dialect,
    );
    this.#predict = predict;
  }

  /**
   * Converts one sentence or clause to phonemes. The ranges of its words refer to `text`. Parts with a
   * transcription use it if the voice has its phonemes.
   */
  async phonemize(
    text: string,
    pronounced: readonly Pronounced[] = [],
  ): Promise<readonly SpokenWord[]> {
    const fixed = fixedPronunciations(text, pronounced, this.dialect);
    const aligned = this.#normaliser.normalise(text, fixed);
    const groups = this.#groupsOf(aligned.text, fixed);
    const missing = new Set<string>();
    const words = this.#pronounce(groups, aligned, missing);
    if (missing.size === 0) return words;
    await Promise.all([...missing].map((word) => this.#learn(word)));
    return this.#pronounce(groups, aligned, new Set());
  }

  #groupsOf(text: string, fixed: readonly FixedPronunciation[]): WordGroup[] {
    const tokens: TextToken[] = this.#tokenizer.tokenize(text);
    const words = tokens.map(({ text: word }) => speltCharacters(word) ?? word);
    const tags = this.#tagger.tag(words.map((word) => restorePlaceholders(word, fixed)));
    return groupWords(tokens, tags, fixed);
  }

  /** From the last word to the first, because a word's pronunciation depends on the next one's. */
  #pronounce(
    groups: readonly WordGroup[],
    aligned: AlignedText,
    missing: Set<string>,
  ): SpokenWord[] {
    const words: SpokenWord[] = [];
    let context = AT_THE_END;
    for (const group of groups.toReversed()) {
      const whole = asOneWord(group);
      const said = this.#pronounceGroup(group, context, missing);
      const phonemes = said.replace(/[ɾʔ]/g, (sign) => VOICE_SIGNS[sign] ?? sign);
      context = contextBefore({ ...whole, phonemes: said }, context);
      words.push({
        phonemes,
        whitespaceAfter: whole.spaceAfter,
        ...aligned.origin(whole.start, whole.end),
      });
    }
    return words.reverse();
  }

  #pronounceGroup(group: WordGroup, context: SoundContext, missing: Set<string>): string {
    const [only] = group;
    if (group.length === 1 && only) {
      return only.phonemes ?? this.#readPart(only, context) ?? this.#guess(only.text, missing);
    }
    const said = this.#readParts(group, context);
    const text = asOneWord(group).text;
    return said ? joinPhonemes(text, said) : this.#guess(text, missing);
  }

  /**
   * Reads a group from its end in the longest runs that are in the lexicon; `undefined` if a part is
   * not in it.
   */
  #readParts(group: WordGroup, behind: SoundContext): SaidPart[] | undefined {
    const said: SaidPart[] = [];
    let context = behind;
    for (let end = group.length; end > 0; ) {
      const run = this.#longestRun(group, end, context);
      if (run) {
        said.unshift({ text: group[run.start]!.text, phonemes: run.phonemes });
        context = contextBefore(run, context);
        end = run.start;
        continue;
      }
      const { text } = group[end - 1]!;
      if (!isSilent(text)) return undefined;
      // The dot of "AT&T." and "plan B." ends the sentence too.
      if (text === '.' && context === AT_THE_END) said.push({ text, phonemes: text });
      end--;
    }
    return said;
  }

  #longestRun(group: WordGroup, end: number, context: SoundContext) {
    for (let from = 0; from < end; from++) {
      const word = asOneWord(group.slice(from, end));
      const phonemes = this.#readPart(word, context);
      if (phonemes !== undefined) return { text: word.text, tag: word.tag, phonemes, start: from };
    }
    return undefined;
  }

  #readPart(part: WordPart, context: SoundContext): string | undefined {
    const spelt = speltCharacters(part.text);
    if (spelt === undefined) return this.#lexicon.read(part, context);
    return spelt === '.' ? UNSTRESSED_POINT : this.#lexicon.spell(spelt);
  }

  /** Reads the letters of an unknown word with the model and its signs by their names. Omits the rest. */
  #guess(text: string, missing: Set<string>): string {
    const said: string[] = [];
    for (const [piece] of text.matchAll(UNKNOWN_PIECE)) {
      const phonemes = LETTER.test(piece) ? this.#remembered(piece, missing) : this.#sign(piece);
      if (phonemes) said.push(phonemes);
    }
    return said.join(' ');
  }

  #sign(sign: string): string | undefined {
    const name = SIGNS.get(sign);
    if (name === undefined) return sign === '—' ? sign : undefined;
    return this.#lexicon.read({ text: name, tag: 'NN' }, AT_THE_END);
  }

  #remembered(word: string, missing: Set<string>): string {
    const key = Array.from(word).slice(0, MAX_UNKNOWN_LENGTH).join('');
    const known = this.#predicted.get(key);
    if (known === undefined) missing.add(key);
    return known ?? '';
  }

  async #learn(word: string): Promise<void> {
    const phonemes = await this.#predict(word);
    putNewest(this.#predicted, word, phonemes, REMEMBERED_UNKNOWN);
  }
}

/** The parts whose transcription has only phonemes of the voice; the others are read as text. */
function fixedPronunciations(
  text: string,
  pronounced: readonly Pronounced[],
  dialect: Dialect,
): readonly FixedPronunciation[] {
  return pronounced.slice(0, MAX_PLACEHOLDERS).flatMap(({ textStart, textEnd, ipa }) => {
    const phonemes = phonemesOfIpa(ipa, dialect);
    if (phonemes === undefined) return [];
    const genitive = GENITIVE.exec(text.slice(textEnd, textEnd + 4))?.[0].length ?? 0;
    return {
      textStart,
      textEnd: textEnd + genitive,
      text: text.slice(textStart, textEnd),
      phonemes: (genitive > 0 && addS(phonemes, dialect)) || phonemes,
    };
  });
}
