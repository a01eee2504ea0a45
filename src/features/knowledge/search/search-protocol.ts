import type { FoundPassages, PassageQuery } from './hybrid-retriever.js';
import type { KnowledgeVersion } from './vector-index.js';

/** How the thread that searches is started. */
export interface SearchThreadData {
  readonly databaseUrl: string;
  /** Vectors of another model count as none. */
  readonly embeddingModel: string;
  /** Whether the database compares vectors: its table for them is there. */
  readonly hasPgvector: boolean;
  /** Of vectors in memory. */
  readonly maxBytes: number;
}

/** A line for the log; of errors only what is no word of anybody. */
export interface LogLine {
  readonly fields: object;
  readonly message: string;
}

/** What the thread does that finds passages. */
export type SearchJobs = {
  readonly version: {
    readonly input: { readonly kbId: number };
    readonly output: KnowledgeVersion | undefined;
  };
  /** The question's vector follows by the search's number. */
  readonly find: {
    readonly input: { readonly search: number; readonly asked: PassageQuery };
    readonly output: FoundPassages & { readonly logLines: readonly LogLine[] };
  };
  /** Undefined where the question has no vector. */
  readonly query: {
    readonly input: { readonly search: number; readonly query: Float32Array | undefined };
    readonly output: undefined;
  };
  readonly forget: { readonly input: { readonly kbId: number }; readonly output: undefined };
};
