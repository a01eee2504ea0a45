import type { Priority } from '../runtime/cpu-scheduler.js';

/** Options of one call of `embed`. */
export interface EmbedOptions {
  readonly priority: Priority;
  readonly signal?: AbortSignal;
  /** The texts are questions, for which some models need another prefix. Default: false. */
  readonly isQuestion?: boolean;
}

/** Converts texts to vectors whose dot product measures the similarity of two texts. */
export interface Embedder {
  /** Stored with each vector, because vectors of different models cannot be compared. */
  readonly id: string;
  /** Recommended maximum length of a text in tokens. Longer texts are cut or get less accurate vectors. */
  readonly windowTokens: number;
  /** The vectors are computed on another machine, so a batch of many texts needs no CPU time here. */
  readonly isRemote: boolean;
  /**
   * @returns one vector of unit length for each text, in order
   * @throws MediaError ABORTED when the signal fires, WORKER_DIED, MODEL_MISSING, MODEL_CORRUPT
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
}
