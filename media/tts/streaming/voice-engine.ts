import type { WordTime } from '../text-to-speech.js';

/** Position of the next chunk in its utterance. */
export interface ChunkPosition<Utterance> {
  readonly utterance: Utterance;
  /** Index of the part in the utterance. */
  readonly partIndex: number;
  /** Index of the chunk in the utterance. */
  readonly chunkIndex: number;
  /** Samples of the utterance before this chunk. */
  readonly startSample: number;
}

/** Synthesised samples of a part. */
export interface PartChunk {
  readonly samples: Float32Array<ArrayBuffer>;
  /** Words that start with this chunk or later in its part; times count from the utterance's start. */
  readonly words: readonly WordTime[];
  /** Nothing of the part follows. */
  readonly isPartEnd: boolean;
}

/** The two functions in which one neural voice differs from another. */
export interface VoiceEngine<Utterance, Part> {
  /**
   * Splits an utterance into parts that the model encodes as a whole. A part is requested when the one
   * before it ends, so that a long text is read bit by bit.
   */
  parts(utterance: Utterance): AsyncGenerator<Part, undefined>;
  /** Synthesises the next chunk of a part, whose progress the engine keeps in `part`. */
  nextSamples(part: Part, position: ChunkPosition<Utterance>): Promise<PartChunk>;
}
