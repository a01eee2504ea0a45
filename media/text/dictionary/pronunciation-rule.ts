/** The pronunciation of one word or phrase. */
export interface PronunciationRule {
  /** Stays the same from version to version; unique in its dictionary. */
  readonly id: string;
  /** The text to replace. A space matches any run of white space. */
  readonly word: string;
  /** The text that is spoken instead, in normal spelling. */
  readonly replacement: string;
  /** The phonemes, for voices that accept them. Other voices speak the replacement. */
  readonly ipa: string | null;
  readonly caseSensitive: boolean;
}
