import type { Stage } from '../stream/stage.js';

/** Samples (−1…1, mono, at the format's rate) → bytes of the file or stream. */
export type Encoder = Stage<Float32Array, Uint8Array>;

/** An entry of the one table of output formats. Whoever needs a codec is handed its entry. */
export interface AudioFormat {
  /** The name in the contract, such as `mp3` or `pcm_24000`. */
  readonly name: string;
  readonly contentType: string;
  /** Hz. */
  readonly sampleRate: number;
  /** @param totalSamples where the whole length is known ahead; headers then say it. */
  createEncoder(totalSamples?: number): Promise<Encoder>;
}
