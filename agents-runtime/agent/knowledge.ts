/** A passage of a knowledge base that answers a question, and how near it comes. */
export interface Passage {
  readonly text: string;
  /** The title that it stands below, if any. */
  readonly heading?: string;
  /** Cosine similarity, −1…1. */
  readonly score: number;
}

/** The port to the knowledge bases; `src` implements it over the database. */
export interface KnowledgeSearch {
  /** The `limit` nearest passages, best first; empty for an unknown or empty knowledge base. */
  search(knowledgeBaseId: number, query: Float32Array, limit: number): Promise<readonly Passage[]>;
}
