import type { Stage } from '../audio/stage.js';

/** Encodes samples (mono, −1…1, at the format's rate) to the bytes of a file or stream. */
export type Encoder = Stage<Float32Array, Uint8Array>;

/** An entry of the table of output formats. */
export interface AudioFormat {
  /** Value of `audio_format` in the API, such as `mp3` or `pcm_24000`. */
  readonly name: string;
  /** Value of the HTTP header `content-type`. */
  readonly contentType: string;
  /** Hz. */
  readonly sampleRate: number;
  /** Set for raw samples only: the stream may be split at any multiple of this number of bytes. */
  readonly bytesPerSample?: number;
  /** Creates an encoder for a stream of unknown length. */
  createEncoder(): Promise<Encoder>;
  /**
   * Returns the header of a complete file. It replaces the header of the stream, which has the same size.
   * Absent for formats whose header contains no length.
   * @param fileLength - bytes, including the header
   */
  headOfWhole?(fileLength: number): Uint8Array;
}
