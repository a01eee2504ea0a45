/** The state of a knowledge base's passages. Results of another state are out of date. */
export interface KnowledgeVersion {
  readonly version: number;
  readonly deletions: number;
}

/** A passage by its nearness in meaning, −1…1. */
export interface NearPassage {
  readonly id: number;
  readonly score: number;
}

/** Which of a knowledge base's passages are nearest to a vector. */
export interface VectorIndex {
  /** The best ones first; a passage of several vectors counts by its best. */
  nearest(
    kbId: number,
    version: KnowledgeVersion,
    query: Float32Array,
    limit: number,
  ): Promise<readonly NearPassage[]>;
  /** Of a knowledge base that is gone. */
  forget(kbId: number): void;
}
