import type { Stage } from '../audio/stage.js';

/** Samples (−1…1, mono, at the format's rate) → bytes of the file or stream. */
export type Encoder = Stage<Float32Array, Uint8Array>;

/** An entry of the one table of output formats. Whoever needs a codec is handed its entry. */
export interface AudioFormat {
  /** The name in the contract, such as `mp3` or `pcm_24000`. */
  readonly name: string;
  readonly contentType: string;
  /** Hz. */
  readonly sampleRate: number;
  /** Of formats that are samples and nothing else, so that any cut between two is a good one. */
  readonly bytesPerSample?: number;
  /** For a stream whose length is not known ahead. */
  createEncoder(): Promise<Encoder>;
  /**
   * Where a file's start says its length: what stands there instead, just as long, once the whole is
   * there and has `fileLength` bytes.
   */
  headOfWhole?(fileLength: number): Uint8Array;
}
