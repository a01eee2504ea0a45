import type { Urgency } from '../runtime/cpu-scheduler.js';
import type { TextRange } from '../text/aligned-text.js';

/** The phonemes of the text between two punctuation marks. */
export interface PhonemeClause {
  /** IPA, with spaces between groups, which are mostly words. */
  readonly phonemes: string;
  /** The written words, in order. */
  readonly words: readonly TextRange[];
  /** If the groups are not the words: the phonemes of each word spoken alone. */
  readonly alone: readonly string[];
  /** The mark at its end: one of `,;:.?!`, or nothing. */
  readonly mark: string;
}

export interface PhonemizeOptions extends Urgency {
  readonly signal: AbortSignal;
}

/** Text → phonemes, for voices that were trained on them. */
export interface Phonemizer {
  /**
   * @param voice - the phonemizer's name of a language or dialect, from the voice's configuration
   * @param language - ISO 639-1, for the normaliser
   * @throws MediaError ABORTED, WORKER_DIED, INTERNAL for an unknown voice
   */
  phonemize(
    text: string,
    as: { readonly voice: string; readonly language: string },
    options: PhonemizeOptions,
  ): Promise<readonly PhonemeClause[]>;
}
