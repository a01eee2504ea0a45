/** A passage of a knowledge base that may answer a question. */
export interface Passage {
  readonly id: number;
  readonly documentId: number;
  /** Empty for a document without a name. */
  readonly documentName: string;
  /** The headings above the passage, if any. */
  readonly title: string;
  readonly text: string;
  /** Combined rank of the semantic and the keyword search; higher is better. */
  readonly score: number;
  /** Cosine similarity of the embeddings, −1…1; undefined for a keyword match only. */
  readonly similarity: number | undefined;
  /** Weighted share of the question's words that the passage contains, 0…1. */
  readonly wordShare: number;
}

/** The port for the knowledge bases. `src` implements it with the database. */
export interface KnowledgeSearch {
  /**
   * The best passages, best first; empty for an unknown or empty knowledge base. Resolves within a
   * bounded time with the passages found by then. Repeated questions are cached.
   */
  search(knowledgeBaseId: number, question: string, limit: number): Promise<readonly Passage[]>;
}

/** A passage that a reply is based on. */
export interface KnowledgeSource {
  readonly knowledgeBaseId: number;
  readonly documentId?: number;
  /** The headings above the passage, else the document's name, else empty. */
  readonly title: string;
  readonly passage: string;
}

/** The passages as the sources of a reply. */
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
