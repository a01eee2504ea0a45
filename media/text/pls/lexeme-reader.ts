import type { PronunciationRule } from '../dictionary/pronunciation-rule.js';
import { PlsError } from './pls-error.js';
import { ipaOfXSampa } from './x-sampa.js';

/** Namespace of PLS. Source: W3C, Pronunciation Lexicon Specification 1.0, 2008-10-14. */
export const PLS = 'http://www.w3.org/2005/01/pronunciation-lexicon';
/** Namespace of the lexeme attributes `id` and `case-sensitive`, which PLS does not have. */
export const OWN = 'urn:x-parley:pronunciation-dictionary';

/** Maximum number of rules, and maximum lengths in characters. */
export interface PlsLimits {
  readonly rules: number;
  readonly wordLength: number;
  readonly replacementLength: number;
}

/** A position in a file; both numbers start at 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** An element of a lexeme with text content. */
export interface LexemePart extends Place {
  readonly kind: 'grapheme' | 'phoneme' | 'alias';
  readonly alphabet: 'ipa' | 'x-sampa';
  readonly isPreferred: boolean;
}

/** A rule of the file. `id` is undefined if the file has none. */
export type ReadRule = Omit<PronunciationRule, 'id'> & {
  readonly id: string | undefined;
  /** The rule precedes the other rules of its word. */
  readonly isPreferred: boolean;
  readonly place: Place;
};

interface OwnAttributes {
  readonly id: string | undefined;
  readonly caseSensitive: string | undefined;
}

interface ReadPart extends LexemePart {
  readonly text: string;
}

const MAX_ID_LENGTH = 200;

/** Collects the parts of a lexeme and converts them to rules, one per grapheme. */
export class LexemeReader {
  readonly #place: Place;
  readonly #own: OwnAttributes;
  readonly #limits: PlsLimits;
  readonly #parts: ReadPart[] = [];
  #open: LexemePart | undefined;
  #text = '';

  constructor(place: Place, own: OwnAttributes, limits: PlsLimits) {
    this.#place = place;
    this.#own = own;
    this.#limits = limits;
  }

  /** A part is open, to which text belongs. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Opens a part. */
  begin(part: LexemePart): void {
    this.#open = part;
    this.#text = '';
  }

  /** Adds text to the open part. */
  add(text: string): void {
    this.#text += text;
  }

  /** Closes the open part. @throws PlsError if its text is empty, too long or not in its alphabet */
  finish(): void {
    const part = this.#open;
    if (!part) return;
    this.#open = undefined;
    // Files written by Parley keep their white space.
    const isOwn = this.#own.id !== undefined;
    const text = isOwn ? this.#text : this.#text.trim().replace(/\s+/g, ' ');
    const { wordLength, replacementLength } = this.#limits;
    const most = part.kind === 'grapheme' ? wordLength : replacementLength;
    if ([...text].length > most) fail(`A ${part.kind} has more than ${most} characters`, part);
    if (part.kind !== 'alias' && text.trim() === '') fail(`A ${part.kind} is empty`, part);
    this.#parts.push({ ...part, text: part.kind === 'phoneme' ? ipaOf(part, text) : text });
  }

  /**
   * Returns the rules; none for a lexeme without phoneme and alias.
   * @throws PlsError without grapheme, or for invalid attributes
   */
  rules(): ReadRule[] {
    const graphemes = this.#parts.filter(({ kind }) => kind === 'grapheme');
    if (graphemes.length === 0) fail('A lexeme has no grapheme', this.#place);
    const said = this.#parts.filter(({ kind }) => kind !== 'grapheme');
    const chosen = preferred(said);
    if (!chosen) return [];
    const alias = preferred(said.filter(({ kind }) => kind === 'alias'));
    const caseSensitive = this.#caseSensitive();
    const id = this.#id(graphemes.length);
    return graphemes.map(({ text: word, line, column }) => ({
      id,
      word,
      replacement: alias?.text ?? word,
      ipa: chosen.kind === 'phoneme' ? chosen.text : null,
      caseSensitive,
      isPreferred: chosen.isPreferred,
      place: { line, column },
    }));
  }

  #id(graphemes: number): string | undefined {
    const { id } = this.#own;
    if (id === undefined) return undefined;
    if (id === '' || id.length > MAX_ID_LENGTH) {
      fail(`The id of a rule must have 1 to ${MAX_ID_LENGTH} characters`, this.#place);
    }
    // Rules cannot share an id.
    return graphemes === 1 ? id : undefined;
  }

  #caseSensitive(): boolean {
    const { caseSensitive = 'true' } = this.#own;
    if (caseSensitive !== 'true' && caseSensitive !== 'false') {
      fail('case-sensitive must be true or false', this.#place);
    }
    return caseSensitive === 'true';
  }
}

/** Returns the first part with `prefer`, otherwise the first part. Source: PLS 1.0, attribute `prefer`. */
function preferred(parts: readonly ReadPart[]): ReadPart | undefined {
  return parts.find(({ isPreferred }) => isPreferred) ?? parts[0];
}

function ipaOf(part: LexemePart, text: string): string {
  if (part.alphabet === 'ipa') return text;
  const ipa = ipaOfXSampa(text);
  if (typeof ipa === 'string') return ipa;
  return fail(`Character ${ipa + 1} of this phoneme is not X-SAMPA`, part);
}

function fail(sentence: string, { line, column }: Place): never {
  throw new PlsError(sentence, line, column);
}

/**
 * Moves rules with a preferred pronunciation before the other rules of the same word, because the first rule
 * of a word applies. Source: PLS 1.0, 4.9.2.
 */
export function preferredFirst(rules: readonly ReadRule[]): readonly ReadRule[] {
  const ordered = [...rules];
  for (const places of placesOfWords(rules).values()) {
    const ofWord = places.map((place) => rules[place]!);
    const isBefore = ofWord.filter(({ isPreferred }) => isPreferred);
    const isAfter = ofWord.filter(({ isPreferred }) => !isPreferred);
    for (const [at, rule] of [...isBefore, ...isAfter].entries()) ordered[places[at]!] = rule;
  }
  return ordered;
}

/** Returns the indexes of the rules for each word that has a preferred pronunciation. */
function placesOfWords(rules: readonly ReadRule[]): ReadonlyMap<string, readonly number[]> {
  const preferred = rules.filter(({ isPreferred }) => isPreferred);
  const places = new Map(preferred.map(({ word }): [string, number[]] => [word, []]));
  for (const [place, { word }] of rules.entries()) places.get(word)?.push(place);
  return places;
}
