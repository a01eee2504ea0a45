/** How one word or phrase is to be said. */
export interface PronunciationRule {
  /** Stays the same from version to version; unique in its dictionary. */
  readonly id: string;
  /** What is looked for. A space in it stands for any run of white space. */
  readonly word: string;
  /** What is spoken instead, as a person would write it. */
  readonly replacement: string;
  /** What a voice with a phoneme stage says; the others say the replacement. */
  readonly ipa: string | null;
  readonly caseSensitive: boolean;
}
