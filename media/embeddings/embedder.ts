import type { Priority } from '../runtime/cpu-scheduler.js';

export interface EmbedOptions {
  readonly priority: Priority;
  readonly signal?: AbortSignal;
  /** The texts ask; some models want to know. */
  readonly isQuestion?: boolean;
}

/** Text → vectors whose dot product tells how near two texts are in meaning. */
export interface Embedder {
  /** Stored with each vector: vectors of different models do not compare. */
  readonly id: string;
  /** What it reads of a text at once: more is cut, or blurs. */
  readonly windowTokens: number;
  /** It computes elsewhere: many texts at once cost nothing here. */
  readonly isRemote: boolean;
  /** @returns one vector of unit length a text, in order. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
}
