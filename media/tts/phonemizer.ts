import type { Urgency } from '../runtime/cpu-scheduler.js';
import type { TextRange } from '../text/aligned-text.js';

/** The phonemes of a text between two punctuation marks. */
export interface PhonemeClause {
  /** IPA with spaces between groups. A group is usually a word. */
  readonly phonemes: string;
  /** The written words, in order. */
  readonly words: readonly TextRange[];
  /** The phonemes of each word spoken alone, if the groups differ from the words; otherwise empty. */
  readonly alone: readonly string[];
  /** The punctuation mark at its end, one of `,;:.?!`; empty without one. */
  readonly mark: string;
}

/** Urgency and cancellation of one call of `phonemize`. */
export interface PhonemizeOptions extends Urgency {
  readonly signal: AbortSignal;
}

/** Converts text to phonemes, for voices that were trained on them. */
export interface Phonemizer {
  /**
   * @param as.voice - the phonemizer's name of a language or dialect, from the voice's configuration
   * @param as.language - ISO 639-1, for the normaliser
   * @throws MediaError ABORTED, WORKER_DIED, INTERNAL for an unknown voice
   */
  phonemize(
    text: string,
    as: { readonly voice: string; readonly language: string },
    options: PhonemizeOptions,
  ): Promise<readonly PhonemeClause[]>;
}
