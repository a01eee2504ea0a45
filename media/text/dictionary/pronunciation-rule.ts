/** The pronunciation of one word or phrase. */
export interface PronunciationRule {
  /** Unique in the dictionary. Does not change from version to version. */
  readonly id: string;
  /** The text to replace. A space matches any run of white space. */
  readonly word: string;
  /** The text that is spoken instead, in normal spelling. */
  readonly replacement: string;
  /**
   * The pronunciation in the International Phonetic Alphabet, for voices with phonemes. Other voices speak
   * `replacement`.
   */
  readonly ipa: string | null;
  readonly caseSensitive: boolean;
}
