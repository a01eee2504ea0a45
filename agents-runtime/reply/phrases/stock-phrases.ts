/** What the agent says without a model, in one language: data only. */
export interface StockPhrases {
  /** After the caller's first and second silence. */
  readonly prompts: readonly [string, string];
  /** About half a minute before the call ends at its maximum duration. */
  readonly warning: string;
  /** No audio arrives from the caller. */
  readonly noAudio: string;
  /** The caller's speech was not understood. */
  readonly notUnderstood: string;
  /** Speech synthesis failed. */
  readonly voiceApology: string;
  /** While a tool or model is slow: the first time, and later. */
  readonly fillers: readonly [string, string];
  /** No model could answer. */
  readonly noAnswer: string;
  /** A reply ended in the middle. */
  readonly brokenOff: string;
  readonly goodbyes: {
    readonly silence: string;
    readonly limit: string;
    readonly fault: string;
    readonly other: string;
  };
}
