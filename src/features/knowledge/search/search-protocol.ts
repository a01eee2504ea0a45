import type { FoundPassages, PassageQuery } from './hybrid-retriever.js';
import type { KnowledgeVersion } from './vector-index.js';

/** Start parameters of the search thread. */
export interface SearchThreadData {
  readonly databaseUrl: string;
  /** Vectors of other models are ignored. */
  readonly embeddingModel: string;
  /** Whether the table for pgvector exists. */
  readonly hasPgvector: boolean;
  /** Maximum size of vectors in memory. */
  readonly maxBytes: number;
}

/** A log line. Errors without their messages, which may quote texts. */
export interface LogLine {
  readonly fields: object;
  readonly message: string;
}

/** The jobs of the search thread. */
export type SearchJobs = {
  readonly version: {
    readonly input: { readonly kbId: number };
    readonly output: KnowledgeVersion | undefined;
  };
  /** The question's vector follows in a `query` job with the same number. */
  readonly find: {
    readonly input: { readonly search: number; readonly asked: PassageQuery };
    readonly output: FoundPassages & { readonly logLines: readonly LogLine[] };
  };
  /** `query` is undefined if the question has no vector. */
  readonly query: {
    readonly input: { readonly search: number; readonly query: Float32Array | undefined };
    readonly output: undefined;
  };
  readonly forget: { readonly input: { readonly kbId: number }; readonly output: undefined };
};
