import type { Mp3Program } from './mp3.js';

/** What an encoder worker does. Streams are told apart by ids of the asking side. */
export type EncoderJobs = {
  /** Encodes more of a stream; the first job of a stream opens it, the last one ends it. */
  readonly encode: { readonly input: EncodeInput; readonly output: Uint8Array };
  /** Forgets a stream that was not ended. */
  readonly drop: { readonly input: number; readonly output: null };
};

export interface EncodeInput {
  readonly stream: number;
  /** Only with a stream's first job. */
  readonly open?: EncodedStreamOptions;
  readonly samples: Float32Array;
  readonly isLast: boolean;
}

export interface EncodedStreamOptions {
  /** A name of the table of formats. */
  readonly format: string;
  /** Of the samples that are pushed, in Hz. */
  readonly inputRate: number;
}

/** What an encoder worker is started with. */
export interface EncoderSettings {
  readonly mp3Program: Mp3Program;
}
