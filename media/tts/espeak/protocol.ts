/** Requests to the eSpeak program. Voices have the engine's names. */
export type EspeakRequest =
  | {
      readonly id: number;
      readonly type: 'speak';
      readonly voice: string;
      readonly text: string;
      /** 1 is normal speed. */
      readonly speed: number;
    }
  | {
      readonly id: number;
      readonly type: 'phonemes';
      readonly voice: string;
      /** The words of each clause. */
      readonly clauses: readonly (readonly string[])[];
    }
  | {
      readonly id: number;
      readonly type: 'sounds';
      readonly voice: string;
      /** Words without punctuation. */
      readonly text: string;
    };

/** A position in the audio where a word starts or a clause ends. */
export interface EspeakEvent {
  /** `end`: end of a clause. */
  readonly type: 'word' | 'end';
  /** In code points of the text; 0 for `end`. */
  readonly start: number;
  readonly length: number;
  readonly atMs: number;
}

/**
 * Replies of the program. The body of a `sound` frame has 16-bit samples. In `phonemes`, the first line of
 * each clause has its phonemes; if the number of groups differs from the number of words, one line for
 * each word follows.
 */
export type EspeakReply =
  | { readonly id: number; readonly type: 'sound'; readonly events: readonly EspeakEvent[] }
  | {
      readonly id: number;
      readonly type: 'phonemes';
      readonly lines: readonly (readonly string[])[];
    }
  | {
      /** The same words in IPA and in the engine's mnemonics. */
      readonly id: number;
      readonly type: 'sounds';
      readonly ipa: string;
      readonly own: string;
    }
  | { readonly id: number; readonly type: 'done' }
  | { readonly id: number; readonly type: 'failed'; readonly message: string };

/** Hz; the same for all voices. */
export const ESPEAK_SAMPLE_RATE = 22_050;
