import { workerData } from 'node:worker_threads';
import { MediaError } from '../../../../media/errors.js';
import { serveJobs } from '../../../../media/runtime/serve-jobs.js';
import { connect } from '../../../platform/db/connect.js';
import { FullTextSearchRepository } from './full-text-search.repository.js';
import { HybridRetriever } from './hybrid-retriever.js';
import { MemoryVectorIndex } from './memory-vector-index.js';
import { PassagesRepository } from './passages.repository.js';
import { PgvectorRepository } from './pgvector.repository.js';
import { PgvectorIndex } from './pgvector-index.js';
import type { LogLine, SearchJobs, SearchThreadData } from './search-protocol.js';

/** Two lists, and queries of other searches. */
const CONNECTIONS = 4;
/** Log lines to send with the next result. */
const MAX_FAULTS = 100;

const { databaseUrl, embeddingModel, hasPgvector, maxBytes } = workerData as SearchThreadData;
const faults: LogLine[] = [];
const log = {
  warn({ err, ...fields }: { readonly err?: unknown }, message: string): void {
    if (faults.length === MAX_FAULTS) faults.shift();
    faults.push({
      fields: err === undefined ? fields : { ...fields, fault: errorCode(err) },
      message,
    });
  },
};
const db = connect(databaseUrl, { poolMax: CONNECTIONS });
const repository = new PassagesRepository(db, embeddingModel);
const inMemory = new MemoryVectorIndex(repository, maxBytes);
const retriever = new HybridRetriever({
  repository,
  words: new FullTextSearchRepository(db),
  vectors: hasPgvector
    ? new PgvectorIndex(new PgvectorRepository(db, embeddingModel), inMemory, log)
    : inMemory,
  log,
});
/** Searches that wait for the vector of their question. */
const pendingQueries = new Map<number, (query: Float32Array | undefined) => void>();

// Normal priority: a turn waits for the search.
serveJobs<SearchJobs>(
  {
    version: async ({ kbId }) => ({ output: await withoutMessage(retriever.versionOf(kbId)) }),
    find: async ({ search, asked }) => {
      const query = new Promise<Float32Array | undefined>((resolve) =>
        pendingQueries.set(search, resolve),
      );
      try {
        const found = await withoutMessage(retriever.find(asked, query));
        return { output: { ...found, logLines: faults.splice(0) } };
      } finally {
        pendingQueries.delete(search);
      }
    },
    query: ({ search, query }) => {
      pendingQueries.get(search)?.(query);
      return { output: undefined };
    },
    forget: ({ kbId }) => {
      retriever.forget(kbId);
      return { output: undefined };
    },
  },
  { isParallel: true },
);

/** Replaces error messages of the database, as they quote parameters. */
async function withoutMessage<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new MediaError('INTERNAL', `Cannot search knowledge bases (${errorCode(error)})`);
  }
}

function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error && error.code != null ? String(error.code) : error.name;
}
