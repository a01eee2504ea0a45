import { z } from 'zod';

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
      readonly type: 'mnemonics';
      readonly voice: string;
      /** Words without punctuation. */
      readonly text: string;
    };

const id = z.int();

/** A position in the audio where a word starts or a clause ends. */
const EspeakEvent = z.object({
  /** `end`: end of a clause. */
  type: z.enum(['word', 'end']),
  /** In code points of the text; 0 for `end`. */
  start: z.number(),
  length: z.number(),
  /** Ms of the audio. */
  atMs: z.number(),
});
export type EspeakEvent = Readonly<z.infer<typeof EspeakEvent>>;

/**
 * Replies of the program. The body of an `audio` frame has 16-bit samples. In `phonemes`, the first line of
 * each clause has its phonemes; if the number of groups differs from the number of words, one line for
 * each word follows.
 */
export const EspeakReply = z.discriminatedUnion('type', [
  z.object({ type: z.literal('audio'), id, events: z.array(EspeakEvent) }),
  z.object({ type: z.literal('phonemes'), id, lines: z.array(z.array(z.string())) }),
  /** The same words in IPA and in the engine's mnemonics. */
  z.object({ type: z.literal('mnemonics'), id, ipa: z.string(), mnemonics: z.string() }),
  z.object({ type: z.literal('done'), id }),
  z.object({ type: z.literal('failed'), id, message: z.string() }),
]);
export type EspeakReply = z.infer<typeof EspeakReply>;

/** Hz; the same for all voices. */
export const ESPEAK_SAMPLE_RATE = 22_050;
