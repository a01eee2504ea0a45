/** The state of a knowledge base's passages. Results of another state are out of date. */
export interface KnowledgeVersion {
  readonly version: number;
  readonly deletions: number;
}

/** A passage with its cosine similarity, −1…1. */
export interface NearPassage {
  readonly id: number;
  readonly score: number;
}

/** Finds the passages of a knowledge base that are nearest to a vector. */
export interface VectorIndex {
  /** Best first. A passage with several vectors counts with its best one. */
  nearest(
    kbId: number,
    version: KnowledgeVersion,
    query: Float32Array,
    limit: number,
  ): Promise<readonly NearPassage[]>;
  /** Frees the memory of a deleted knowledge base. */
  forget(kbId: number): void;
}
