/** What the formant program is asked for. Voices bear the program's own names. */
export type EspeakRequest =
  | {
      readonly id: number;
      readonly type: 'speak';
      readonly voice: string;
      readonly text: string;
      /** 1 = its own pace. */
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
      /** Words without marks. */
      readonly text: string;
    };

/** Something that begins or ends in the sound. */
export interface EspeakEvent {
  /** `end` is that of a clause. */
  readonly type: 'word' | 'end';
  /** Code points of the text; nothing for an end. */
  readonly start: number;
  readonly length: number;
  readonly atMs: number;
}

/**
 * What the program answers; a `sound` carries 16-bit samples as the frame's body. Of each clause the
 * first line has the phonemes; where they fall into more or fewer groups than there are words, those
 * of each word alone follow.
 */
export type EspeakReply =
  | { readonly id: number; readonly type: 'sound'; readonly events: readonly EspeakEvent[] }
  | {
      readonly id: number;
      readonly type: 'phonemes';
      readonly lines: readonly (readonly string[])[];
    }
  | {
      /** The same words in IPA and in the engine's own phonemes. */
      readonly id: number;
      readonly type: 'sounds';
      readonly ipa: string;
      readonly own: string;
    }
  | { readonly id: number; readonly type: 'done' }
  | { readonly id: number; readonly type: 'failed'; readonly message: string };

/** Hz: that of all its voices. */
export const ESPEAK_SAMPLE_RATE = 22_050;
