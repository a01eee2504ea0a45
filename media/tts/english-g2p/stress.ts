/** The alphabet's classes and marks (Source: the phoneme conventions of misaki, Apache-2.0). */
export const PRIMARY = 'ˈ';
export const SECONDARY = 'ˌ';
const VOWELS = new Set('AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻ');
const CONSONANTS = new Set('bdfhjklmnpstvwzðŋɡɹɾʃʒʤʧθ');
/** One symbol each, but counted twice in a word's length. */
const LONG_SIGNS = new Set('AIOQWYʤʧ');

/** Target stress of a word. */
export type Stress =
  /** No stress. */
  | 'none'
  /** The primary stress becomes a secondary one; a word without a primary stress has at least a secondary one. */
  | 'reduced'
  /** The primary stress becomes a secondary one; a word without a primary stress does not change. */
  | 'softened'
  /** At least a secondary stress. */
  | 'marked'
  /** A primary stress. */
  | 'strong';

export function isVowel(sign: string): boolean {
  return VOWELS.has(sign);
}

export function isConsonant(sign: string): boolean {
  return CONSONANTS.has(sign);
}

export function isStressed(phonemes: string): boolean {
  return phonemes.includes(PRIMARY) || phonemes.includes(SECONDARY);
}

/** Length of a word in symbols; diphthongs and affricates count twice. */
export function weightOf(phonemes: string): number {
  let weight = 0;
  for (const sign of phonemes) weight += LONG_SIGNS.has(sign) ? 2 : 1;
  return weight;
}

/** Raises or lowers the stress of a word's phonemes; `undefined` leaves them unchanged. */
export function withStress(phonemes: string, stress: Stress | undefined): string {
  const hasPrimary = phonemes.includes(PRIMARY);
  switch (stress) {
    case undefined:
      return phonemes;
    case 'none':
      return phonemes.replaceAll(PRIMARY, '').replaceAll(SECONDARY, '');
    case 'reduced':
      return hasPrimary ? lowered(phonemes) : withMark(phonemes, SECONDARY);
    case 'softened':
      return hasPrimary ? lowered(phonemes) : phonemes;
    case 'marked':
      return withMark(phonemes, SECONDARY);
    case 'strong':
      if (hasPrimary) return phonemes;
      if (phonemes.includes(SECONDARY)) return phonemes.replaceAll(SECONDARY, PRIMARY);
      return withMark(phonemes, PRIMARY);
  }
}

/** Keeps only the main stress, as a secondary one. */
function lowered(phonemes: string): string {
  return phonemes.replaceAll(SECONDARY, '').replaceAll(PRIMARY, SECONDARY);
}

/** Marks the first vowel of a word that has no stress. */
function withMark(phonemes: string, mark: string): string {
  if (isStressed(phonemes)) return phonemes;
  const signs = Array.from(phonemes);
  const vowel = signs.findIndex(isVowel);
  return vowel < 0 ? phonemes : [...signs.slice(0, vowel), mark, ...signs.slice(vowel)].join('');
}
