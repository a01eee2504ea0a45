import type { Dialect } from '../../languages.js';

/** A word that may consist of a known word and an ending. */
export interface Inflection {
  /** Possible spellings of the stem, the most likely first. */
  readonly stems: readonly string[];
  /** Adds the ending to the stem's phonemes; `undefined` if that is not possible. */
  readonly add: (stem: string, dialect: Dialect) => string | undefined;
  readonly ending: 's' | 'ed' | 'ing';
}

/** Phonemes after which, in American English, a t before a vowel is tapped. */
const TAPPING = new Set('AIOWYiuæɑəɛɪɹʊʌ');
const DOUBLED = /(?:([bcdgklmnprstvxz])\1|ck)ing$/;

/** Returns the possible endings of a word by its spelling, in the order in which to try them. */
export function inflectionsOf(word: string): Inflection[] {
  const found: Inflection[] = [];
  if (word.endsWith('s')) found.push({ ending: 's', stems: stemsBeforeS(word), add: addS });
  if (word.endsWith('d')) found.push({ ending: 'ed', stems: stemsBeforeEd(word), add: addEd });
  if (word.endsWith('ing')) found.push({ ending: 'ing', stems: stemsBeforeIng(word), add: addIng });
  return found.filter(({ stems }) => stems.length > 0);
}

function stemsBeforeS(word: string): string[] {
  if (word.length < 3) return [];
  const stems: string[] = [];
  if (!word.endsWith('ss')) stems.push(word.slice(0, -1));
  const isLong = word.length > 4;
  if (word.endsWith("'s") || (isLong && word.endsWith('es') && !word.endsWith('ies'))) {
    stems.push(word.slice(0, -2));
  }
  if (isLong && word.endsWith('ies')) stems.push(`${word.slice(0, -3)}y`);
  return stems;
}

function stemsBeforeEd(word: string): string[] {
  if (word.length < 4) return [];
  const stems: string[] = [];
  if (!word.endsWith('dd')) stems.push(word.slice(0, -1));
  if (word.length > 4 && word.endsWith('ed') && !word.endsWith('eed'))
    stems.push(word.slice(0, -2));
  return stems;
}

function stemsBeforeIng(word: string): string[] {
  if (word.length < 5) return [];
  const stems: string[] = [];
  if (word.length > 5) stems.push(word.slice(0, -3));
  stems.push(`${word.slice(0, -3)}e`);
  if (word.length > 5 && DOUBLED.test(word)) stems.push(word.slice(0, -4));
  return stems;
}

/** Adds the ending of a plural, genitive or third person to phonemes. */
export function addS(stem: string, dialect: Dialect): string | undefined {
  const last = stem.at(-1);
  if (last === undefined) return undefined;
  if ('ptkfθ'.includes(last)) return `${stem}s`;
  return 'szʃʒʧʤ'.includes(last) ? `${stem}${weakI(dialect)}z` : `${stem}z`;
}

function addEd(stem: string, dialect: Dialect): string | undefined {
  const last = stem.at(-1);
  if (last === undefined) return undefined;
  if ('pkfθʃsʧ'.includes(last)) return `${stem}t`;
  if (last === 'd') return `${stem}${weakI(dialect)}d`;
  if (last !== 't') return `${stem}d`;
  if (dialect === 'gb' || stem.length < 2) return `${stem}ɪd`;
  return TAPPING.has(stem.at(-2) ?? '') ? `${stem.slice(0, -1)}ɾᵻd` : `${stem}ᵻd`;
}

function addIng(stem: string, dialect: Dialect): string | undefined {
  const last = stem.at(-1);
  if (last === undefined) return undefined;
  // British English restores an r before the ending, but the entry does not show whether there is one.
  if (dialect === 'gb') return 'əː'.includes(last) ? undefined : `${stem}ɪŋ`;
  const isTapped = last === 't' && TAPPING.has(stem.at(-2) ?? '');
  return isTapped ? `${stem.slice(0, -1)}ɾɪŋ` : `${stem}ɪŋ`;
}

function weakI(dialect: Dialect): string {
  return dialect === 'gb' ? 'ɪ' : 'ᵻ';
}
