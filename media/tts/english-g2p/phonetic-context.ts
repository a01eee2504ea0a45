import { isConsonant, isVowel } from './stress.js';

/** The start of the next word, on which the pronunciation depends. Sentences are processed from their end. */
export interface SoundContext {
  /** Class of the next sound; `pause` before punctuation and at the end. */
  readonly next: 'vowel' | 'consonant' | 'pause';
  /** The next word is "to" ("used to"). */
  readonly beforeTo: boolean;
}

export const AT_THE_END: SoundContext = { next: 'pause', beforeTo: false };

/** Marks at which a voice pauses; quotation marks do not count. */
const PAUSES = new Set(';:,.!?—…');

export function isPause(sign: string): boolean {
  return PAUSES.has(sign);
}

/** The context for the word before one with this text and these phonemes. */
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
