/** A passage of a knowledge base that may answer a question. */
export interface Passage {
  readonly id: number;
  readonly documentId: number;
  /** What its document is called; empty where it has no name. */
  readonly documentName: string;
  /** The titles that it stands below, if any. */
  readonly title: string;
  readonly text: string;
  /** How high it stands in the lists of those near in meaning and of those that share words. */
  readonly score: number;
  /** Cosine similarity by the embedding model, −1…1; undefined where only words were compared. */
  readonly similarity: number | undefined;
  /** The share of the question's words, by their weight, that it holds, 0…1. */
  readonly wordShare: number;
}

/** The port to the knowledge bases; `src` implements it over the database. */
export interface KnowledgeSearch {
  /**
   * The best passages, best first; empty for an unknown or empty knowledge base. It answers within a
   * bounded time with what it has found by then, and the same question again costs nothing.
   */
  search(knowledgeBaseId: number, question: string, limit: number): Promise<readonly Passage[]>;
}

/** A passage that a reply was made from. */
export interface KnowledgeSource {
  readonly knowledgeBaseId: number;
  readonly documentId?: number;
  /** The titles that it stands below, or its document's name; empty where there is neither. */
  readonly title: string;
  readonly passage: string;
}

/** The passages as what a reply was made from. */
export function sourcesOf(
  knowledgeBaseId: number,
  passages: readonly Passage[],
): readonly KnowledgeSource[] {
  return passages.map(({ documentId, documentName, title, text }) => ({
    knowledgeBaseId,
    documentId,
    title: title || documentName,
    passage: text,
  }));
}
