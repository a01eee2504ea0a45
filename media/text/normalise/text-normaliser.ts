import { AlignedText, type SpokenForm } from '../aligned-text.js';
import { CLEANING, isPlain } from '../sanitise.js';
import { type FixedPronunciation, insertPlaceholders } from './fixed-pronunciations.js';

/** Rules that are applied one after the other. */
export interface NormaliserPhase {
  readonly rules: readonly SpokenForm[];
  /** Skips the phase for a text without a match. */
  readonly needs?: RegExp;
}

/** Writes a text as it is spoken in one language: only words and pauses remain, no digits or abbreviations. */
export class TextNormaliser {
  readonly #phases: readonly NormaliserPhase[];

  constructor(phases: readonly NormaliserPhase[]) {
    this.#phases = phases;
  }

  /**
   * @param written - the ranges of the result refer to it, or to the text that it was made from
   * @param fixed - parts that become placeholders and stay unchanged, in order
   */
  normalise(written: string | AlignedText, fixed: readonly FixedPronunciation[] = []): AlignedText {
    let text = typeof written === 'string' ? AlignedText.of(written) : written;
    if (!isPlain(text.text)) text = text.rewriteAll(CLEANING);
    text = insertPlaceholders(text, fixed);
    for (const { rules, needs } of this.#phases) {
      if (!needs || needs.test(text.text)) text = text.rewriteAll(rules);
    }
    return text;
  }
}
