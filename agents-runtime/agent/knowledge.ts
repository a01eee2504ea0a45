/** A passage of a knowledge base that answers a question, and how near it comes. */
export interface Passage {
  readonly text: string;
  /** The title that it stands below, if any. */
  readonly heading?: string;
  readonly documentId?: number;
  /** Cosine similarity, −1…1. */
  readonly score: number;
}

/** A passage that a reply was made from. */
export interface KnowledgeSource {
  readonly knowledgeBaseId: number;
  readonly documentId?: number;
  /** The title that it stands below; empty where there is none. */
  readonly title: string;
  readonly passage: string;
}

/** The passages as what a reply was made from. */
export function sourcesOf(
  knowledgeBaseId: number,
  passages: readonly Passage[],
): readonly KnowledgeSource[] {
  return passages.map(({ documentId, heading = '', text }) => ({
    knowledgeBaseId,
    ...(documentId !== undefined && { documentId }),
    title: heading,
    passage: text,
  }));
}

/** The port to the knowledge bases; `src` implements it over the database. */
export interface KnowledgeSearch {
  /** The `limit` nearest passages, best first; empty for an unknown or empty knowledge base. */
  search(knowledgeBaseId: number, query: Float32Array, limit: number): Promise<readonly Passage[]>;
}
