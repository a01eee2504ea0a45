import { isConsonant, isVowel } from './stress.js';

/** The start of the next word, on which the pronunciation of a word depends. Sentences are processed from their end. */
export interface SoundContext {
  /** Class of the next sound; `pause` before punctuation and at the end. */
  readonly next: 'vowel' | 'consonant' | 'pause';
  /** The next word is "to" ("used to"). */
  readonly beforeTo: boolean;
}

/** The context of the last word of a sentence. */
export const AT_THE_END: SoundContext = { next: 'pause', beforeTo: false };

/** Marks at which a voice pauses. Quotation marks are not among them. */
const PAUSES = new Set(';:,.!?—…');

export function isPause(sign: string): boolean {
  return PAUSES.has(sign);
}

/** Returns the context of the word before `word`. @param behind - the context of `word` itself */
export function contextBefore(
  word: { readonly text: string; readonly tag: string; readonly phonemes: string },
  behind: SoundContext,
): SoundContext {
  const { text, tag, phonemes } = word;
  const beforeTo =
    text === 'to' || text === 'To' || (text === 'TO' && (tag === 'TO' || tag === 'IN'));
  for (const sign of phonemes) {
    if (isPause(sign)) return { next: 'pause', beforeTo };
    if (isVowel(sign)) return { next: 'vowel', beforeTo };
    if (isConsonant(sign)) return { next: 'consonant', beforeTo };
  }
  return { next: behind.next, beforeTo };
}
