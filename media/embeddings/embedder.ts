import type { Priority } from '../runtime/cpu-scheduler.js';

export interface EmbedOptions {
  readonly priority: Priority;
  readonly signal?: AbortSignal;
  /** The texts are questions; some models need another prefix for them. */
  readonly isQuestion?: boolean;
}

/** Text → vectors whose dot product measures the similarity of two texts. */
export interface Embedder {
  /** Stored with each vector, because vectors of different models cannot be compared. */
  readonly id: string;
  /** Recommended maximum length of a text in tokens; the model cuts or blurs longer ones. */
  readonly windowTokens: number;
  /** Computed on another machine, so a batch of many texts needs no CPU time here. */
  readonly isRemote: boolean;
  /** @returns one vector of unit length for each text, in order */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
}
