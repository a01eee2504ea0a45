import type { Priority } from './cpu-permits.js';

/** Text → vectors whose dot product tells how near two texts are in meaning. */
export interface Embedder {
  /** Stored with each vector: vectors of different models do not compare. */
  readonly id: string;
  readonly dimensions: number;
  /** @returns one vector of unit length a text, in order. */
  embed(
    texts: readonly string[],
    options: { readonly priority: Priority; readonly signal?: AbortSignal },
  ): Promise<Float32Array[]>;
}
