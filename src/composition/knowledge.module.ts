import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { KnowledgeSearch } from '../../agents-runtime/contract/knowledge.js';
import { OpenAiEmbedder } from '../../agents-runtime/providers/openai-embeddings.js';
import type { Embedder } from '../../media/embeddings/embedder.js';
import { SentenceModelEmbedder } from '../../media/embeddings/sentence-model-embedder.js';
import type { ModelStore } from '../../media/models/store.js';
import type { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import type { LimitSettings } from '../config/limits.settings.js';
import type { ModelSettings } from '../config/models.settings.js';
import type { KnowledgeBaseDirectory } from '../features/agents/agents.ports.js';
import { DocumentsRepository } from '../features/knowledge/documents.repository.js';
import { TextExtractor } from '../features/knowledge/extraction/text-extractor.js';
import { FileIntake } from '../features/knowledge/file-intake.js';
import { ExtractionWorker } from '../features/knowledge/indexing/extraction-worker.js';
import { Indexer } from '../features/knowledge/indexing/indexer.js';
import { IndexingRepository } from '../features/knowledge/indexing/indexing.repository.js';
import { KnowledgeRepository } from '../features/knowledge/knowledge.repository.js';
import { knowledgeRoutes } from '../features/knowledge/knowledge.routes.js';
import { KnowledgeService } from '../features/knowledge/knowledge.service.js';
import { HybridSearch } from '../features/knowledge/search/hybrid-search.js';
import { PgvectorRepository } from '../features/knowledge/search/pgvector.repository.js';
import { hasPgvector } from '../features/knowledge/search/pgvector-index.js';
import { SearchThread } from '../features/knowledge/search/search-thread.js';
import type { Route } from '../platform/http/route.js';

/** Stored with each vector. Another model needs another name. */
const EMBEDDING_MODEL = 'minilm-l6-v2-int8';
/** Vectors in memory, about 85,000 windows of text. */
const MAX_VECTOR_BYTES = 128 * 1_048_576;
/** If a call has used the CPU scheduler within this time, indexing rests after each step. */
const CALLS_WITHIN_MS = 10_000;

export interface KnowledgeParts {
  readonly config: LimitSettings & ModelSettings;
  readonly db: Knex;
  /** The URL of `db`, for the search thread. */
  readonly databaseUrl: string;
  readonly modelStore: ModelStore;
  readonly scheduler: CpuScheduler;
  readonly log: Logger;
}

/** Knowledge bases: documents, their indexing, and search. */
export interface KnowledgeModule {
  /** The English sentence model, with which the built-in responder compares sentences. */
  readonly embedder: Embedder;
  readonly search: KnowledgeSearch;
  readonly directory: KnowledgeBaseDirectory;
  readonly routes: readonly Route[];
  close(): Promise<void>;
}

/** Warms the embedding model and continues the indexing that an earlier process left. */
export async function createKnowledgeModule(parts: KnowledgeParts): Promise<KnowledgeModule> {
  const { config, db, databaseUrl, scheduler, log } = parts;
  const { sentences, custom, embedder } = await loadEmbedders(parts);
  const repository = new IndexingRepository(db, embedder.id);
  const documents = new DocumentsRepository(db, embedder.id);
  const knowledge = new KnowledgeRepository(db, embedder.id);
  const indexer = new Indexer({
    repository,
    embedder,
    log,
    hasCalls: () => scheduler.sinceForegroundMs < CALLS_WITHIN_MS,
  });
  const files = new ExtractionWorker({
    documents,
    extractor: new TextExtractor(),
    log,
    onText: indexer.wake,
  });
  const isInDatabase = await hasPgvector(db, log);
  if (isInDatabase) await PgvectorRepository.open(db, embedder.id);
  const finder = new SearchThread(
    {
      databaseUrl,
      embeddingModel: embedder.id,
      hasPgvector: isInDatabase,
      maxBytes: MAX_VECTOR_BYTES,
    },
    log,
  );
  finder.warm();
  const search = new HybridSearch({ finder, embedder, log });
  indexer.start();
  files.start();
  return {
    embedder: sentences,
    search,
    directory: knowledge,
    routes: knowledgeRoutes(
      new KnowledgeService({
        knowledge,
        documents,
        intake: new FileIntake(documents),
        whyIndexingWaits: indexer.waitReason,
        onDocuments: () => {
          files.wake();
          indexer.wake();
        },
      }),
      { maxFileBytes: config.KNOWLEDGE_FILE_BYTES },
    ),
    async close() {
      await files.close();
      await indexer.close();
      await finder.close();
      await custom?.close();
      await sentences.close();
    },
  };
}

/** The English sentence model, and the embedder for search: the same by default. */
async function loadEmbedders(parts: KnowledgeParts) {
  const folder = await parts.modelStore.require(EMBEDDING_MODEL);
  const sentences = await SentenceModelEmbedder.openMiniLm({
    id: EMBEDDING_MODEL,
    folder,
    scheduler: parts.scheduler,
  });
  try {
    await sentences.warm();
    const custom = await customModel(parts);
    const embedder: Embedder = custom ?? remoteModel(parts) ?? sentences;
    return { sentences, custom, embedder };
  } catch (error) {
    await sentences.close();
    throw error;
  }
}

function customModel({
  config,
  scheduler,
}: KnowledgeParts): Promise<SentenceModelEmbedder> | undefined {
  const folder = config.EMBEDDING_MODEL_DIR;
  return folder === undefined ? undefined : SentenceModelEmbedder.open(folder, scheduler);
}

function remoteModel({ config }: KnowledgeParts): Embedder | undefined {
  const { EMBEDDING_BASE_URL: baseUrl, EMBEDDING_MODEL: model } = config;
  if (baseUrl === undefined || model === undefined) return undefined;
  return new OpenAiEmbedder({ baseUrl, model, apiKey: config.EMBEDDING_API_KEY });
}
