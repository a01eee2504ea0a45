import type { TaggerTables } from './assets.js';
import type { JsonIndex } from './json-index.js';

/** Weights of one feature: index and weight of each tag that it affects. */
interface FeatureWeights {
  readonly tags: Uint8Array;
  readonly weights: Float64Array;
}

const BEFORE = ['-START2-', '-START-'] as const;
const BEHIND = ['-END-', '-END2-'] as const;
const NO_WEIGHTS: FeatureWeights = { tags: new Uint8Array(), weights: new Float64Array() };
const REMEMBERED_FEATURES = 20_000;
const LETTERS = /^\p{L}+$/u;
const DIGITS = /^\p{Nd}+$/u;

/**
 * Part-of-speech tagger (Penn Treebank tags), an averaged perceptron over the word, its
 * neighbours and the two tags before. The features' names are part of the model's file.
 */
export class Tagger {
  readonly #tables: TaggerTables;
  readonly #tagsFromLastName: readonly number[];
  readonly #tagIndex: ReadonlyMap<string, number>;
  readonly #features = new Map<string, FeatureWeights>();
  readonly #scores: Float64Array;

  constructor(tables: TaggerTables) {
    this.#tables = tables;
    this.#tagIndex = new Map(tables.tags.map((tag, index) => [tag, index]));
    this.#scores = new Float64Array(tables.tags.length);
    // If scores are equal, the last tag in alphabetical order wins, as in training.
    this.#tagsFromLastName = tables.tags
      .map((tag, index) => ({ tag, index }))
      .sort((a, b) => (a.tag < b.tag ? 1 : -1))
      .map(({ index }) => index);
  }

  tag(words: readonly string[]): string[] {
    const seen = [...BEFORE, ...words.map((word) => this.#generalised(word)), ...BEHIND];
    const tags: string[] = [];
    let last: string = BEFORE[1];
    let beforeLast: string = BEFORE[0];
    for (const [i, word] of words.entries()) {
      const tag =
        this.#tables.tagOfWord.get(word) ??
        this.#predict([
          ...wordFeatures(word, i),
          ...contextFeatures(seen, i + 2, last, beforeLast),
        ]);
      tags.push(tag);
      beforeLast = last;
      last = tag;
    }
    return tags;
  }

  #generalised(word: string): string {
    const kind = kindOf(word);
    return this.#tables.vocabulary.has(kind) ? kind : `<${shapeOf(word)}>`;
  }

  #predict(features: readonly string[]): string {
    const scores = this.#scores.fill(0);
    let known = false;
    for (const feature of features) {
      const { tags, weights } = this.#weightsOf(feature);
      known ||= tags.length > 0;
      for (let i = 0; i < tags.length; i++) scores[tags[i]!]! += weights[i]!;
    }
    if (!known) return 'NN';
    let best = this.#tagsFromLastName[0]!;
    for (const index of this.#tagsFromLastName) {
      if (scores[index]! > scores[best]!) best = index;
    }
    return this.#tables.tags[best]!;
  }

  #weightsOf(feature: string): FeatureWeights {
    const remembered = this.#features.get(feature);
    if (remembered) return remembered;
    const read = readWeights(this.#tables.weights, feature, this.#tagIndex);
    if (this.#features.size >= REMEMBERED_FEATURES) this.#features.clear();
    this.#features.set(feature, read);
    return read;
  }
}

function readWeights(
  index: JsonIndex,
  feature: string,
  tagIndex: ReadonlyMap<string, number>,
): FeatureWeights {
  const json = index.get(feature);
  if (json === undefined) return NO_WEIGHTS;
  const entries = Object.entries(JSON.parse(json) as Record<string, number>);
  return {
    tags: Uint8Array.from(entries, ([tag]) => tagIndex.get(tag) ?? 0),
    weights: Float64Array.from(entries, ([, weight]) => weight),
  };
}

function wordFeatures(word: string, position: number): string[] {
  return [
    'b',
    `s3=${ending(word)}`,
    `p1=${String.fromCodePoint(word.codePointAt(0) ?? 0)}`,
    `sh=${shapeOf(word)}`,
    position === 0 ? 'i0' : 'i+',
  ];
}

function contextFeatures(
  seen: readonly string[],
  at: number,
  last: string,
  beforeLast: string,
): string[] {
  const left = seen[at - 1]!;
  const right = seen[at + 1]!;
  return [
    `w=${seen[at]}`,
    `t-1=${last}`,
    `t-2=${beforeLast}`,
    `t-12=${last},${beforeLast}`,
    `w-1=${left}`,
    `s3-1=${ending(left)}`,
    `w-2=${seen[at - 2]}`,
    `w+1=${right}`,
    `s3+1=${ending(right)}`,
    `w+2=${seen[at + 2]}`,
  ];
}

function ending(word: string): string {
  return word.slice(-3);
}

/** Replaces numbers and hyphenated words by their kind; converts other words to lower case. */
function kindOf(word: string): string {
  if (word.indexOf('-') > 0) return '!HYPHEN';
  if (DIGITS.test(word) && word.length === 4) return '!YEAR';
  if (/^\p{Nd}/u.test(word)) return '!DIGITS';
  return word.toLowerCase();
}

function shapeOf(word: string): string {
  if (LETTERS.test(word)) {
    const lower = word.toLowerCase();
    if (word === lower) return 'x';
    if (word === word.toUpperCase()) return word.length > 1 ? 'XX' : 'X1';
    const first = word[0] ?? '';
    return first !== lower[0] && word.slice(1) === lower.slice(1) ? 'Xx' : 'xX';
  }
  if (DIGITS.test(word)) return 'd';
  return Array.from(word.slice(0, 4), shapeOfCharacter).join('');
}

function shapeOfCharacter(character: string): string {
  if (/\p{Nd}/u.test(character)) return 'd';
  return /\p{L}/u.test(character) ? 'x' : character;
}
