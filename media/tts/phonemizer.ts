import type { Urgency } from '../runtime/cpu-scheduler.js';
import type { TextRange } from '../text/aligned-text.js';

/** A stretch of a text between two marks, in phonemes. */
export interface PhonemeClause {
  /** IPA; a space stands between groups, which are mostly words. */
  readonly phonemes: string;
  /** The written words, in order. */
  readonly words: readonly TextRange[];
  /** Where the groups are not the words: the phonemes of each word said alone. */
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
   * @param voice the phonemizer's name for a language or dialect, as a voice's configuration tells it.
   * @param language ISO 639-1, for what is written out in words first.
   * @throws MediaError ABORTED, WORKER_DIED, INTERNAL for a voice that it does not know.
   */
  phonemize(
    text: string,
    as: { readonly voice: string; readonly language: string },
    options: PhonemizeOptions,
  ): Promise<readonly PhonemeClause[]>;
}
