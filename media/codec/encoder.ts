import type { Stage } from '../audio/stage.js';

/** Samples (−1…1, mono, at the format's rate) → bytes of the file or stream. */
export type Encoder = Stage<Float32Array, Uint8Array>;

/** An entry of the table of output formats. */
export interface AudioFormat {
  /** Value of `audio_format` in the API, such as `mp3` or `pcm_24000`. */
  readonly name: string;
  readonly contentType: string;
  /** Hz. */
  readonly sampleRate: number;
  /** Set for raw samples only, which may be split between any two samples. */
  readonly bytesPerSample?: number;
  /** Creates an encoder for a stream of unknown length. */
  createEncoder(): Promise<Encoder>;
  /**
   * The header for a whole file of `fileLength` bytes, if the header contains the length. It replaces the
   * header of the stream and has the same size.
   */
  headOfWhole?(fileLength: number): Uint8Array;
}
