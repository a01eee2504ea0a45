import { AlignedText, type SpokenForm } from '../aligned-text.js';
import { CLEANING, isPlain } from '../sanitise.js';
import { type FixedPronunciation, insertPlaceholders } from './fixed-pronunciations.js';

/** A group of rules that are applied one after the other. */
export interface NormaliserPhase {
  readonly rules: readonly SpokenForm[];
  /** The phase is skipped for a text without a match. Default: it is never skipped. */
  readonly needs?: RegExp;
}

/** Rewrites a text of one language as it is spoken: words and pauses without digits and abbreviations. */
export class TextNormaliser {
  readonly #phases: readonly NormaliserPhase[];

  constructor(phases: readonly NormaliserPhase[]) {
    this.#phases = phases;
  }

  /**
   * @param written - the text; the origin of the result is this text, or the origin of this `AlignedText`
   * @param fixed - parts that are replaced by placeholders and not rewritten, in order; default: none
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
