import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { runInSteps } from '../../../../media/async/cooperative.js';
import {
  chunkDocument,
  type DocumentPassage,
  embeddingWindows,
} from '../../../../media/embeddings/document-chunker.js';
import type { Embedder } from '../../../../media/embeddings/embedder.js';
import { PollingWorker } from '../../../platform/jobs/polling-worker.js';
import { documentLanguage } from './document-language.js';
import type { IndexingRepository, PendingDocument, PendingWork } from './indexing.repository.js';

/** Documents of one knowledge base per batch. */
const MAX_DOCUMENTS = 16;
/** Windows that are embedded in one transaction. */
const LOCAL_BATCH = 16;
const REMOTE_BATCH = 64;
/** Finds documents that other gateways left. */
const POLL_INTERVAL_MS = 15_000;
/** Releases the lock of a batch that gets no CPU because of calls. */
const BATCH_TIMEOUT_MS = 10_000;
const RETRY_DELAY_MS = 1_000;
/** Delays after consecutive failures of the embedding endpoint. */
const BACKOFF_MS = [2_000, 5_000, 15_000, 60_000];
const MAX_REST_MS = 1_000;
/** Per passage. */
const MAX_WINDOWS = 16;

/**
 * Splits documents into passages and embeds them in small batches, with less priority than calls.
 * Accounts are served round robin. The pending work is in the database, so it survives a kill.
 */
export class Indexer {
  readonly #repository: IndexingRepository;
  readonly #embedder: Embedder;
  readonly #log: Logger;
  readonly #hasCalls: () => boolean;
  readonly #loop: PollingWorker;
  #hasStarted = false;
  /** Remaining documents to index one by one, as one of their batch fails. */
  #singleSteps = 0;
  #embedderFailures = 0;
  /** The last account in the order of turns. */
  #lastAccount: string | undefined;

  constructor(parts: {
    readonly repository: IndexingRepository;
    readonly embedder: Embedder;
    readonly log: Logger;
    /** Whether calls need the CPU. The indexer then pauses half of the time. */
    readonly hasCalls?: () => boolean;
  }) {
    this.#repository = parts.repository;
    this.#embedder = parts.embedder;
    this.#log = parts.log;
    this.#hasCalls = parts.hasCalls ?? (() => false);
    this.#loop = new PollingWorker((closing) => this.#step(closing), parts.log);
  }

  /** Why indexing is interrupted; undefined while it runs. */
  readonly waitReason = (): string | undefined =>
    this.#embedderFailures > 0 ? 'the embedding endpoint does not respond' : undefined;

  /** Starts with the pending documents. */
  start(): void {
    this.#loop.start();
  }

  /** Call when documents were added. */
  readonly wake = (): void => this.#loop.wake();

  /** Aborts the current batch; it is repeated after the next start. */
  close(): Promise<void> {
    return this.#loop.close();
  }

  async #step(closing: AbortSignal): Promise<number> {
    const startedAt = performance.now();
    const waitMs = await this.#work(closing);
    if (waitMs === 0 && this.#hasCalls()) {
      // Also lets requests that add documents get the lock.
      const restMs = Math.min(performance.now() - startedAt, MAX_REST_MS);
      await sleep(restMs, undefined, { signal: closing }).catch(() => undefined);
    }
    return waitMs;
  }

  async #work(closing: AbortSignal): Promise<number> {
    if (!this.#hasStarted) await this.#repository.resetFailures();
    this.#hasStarted = true;
    let work: PendingWork | undefined;
    const limit = this.#singleSteps > 0 ? 1 : MAX_DOCUMENTS;
    try {
      return await this.#repository.transaction(async (transaction) => {
        // While the embedder fails, full-text search should find all documents.
        work = await this.#repository.claim(transaction, limit, {
          afterAccount: this.#lastAccount,
          isUnsplitFirst: this.#embedderFailures > 0,
        });
        if (!work) return POLL_INTERVAL_MS;
        this.#lastAccount = work.accountId;
        const unsplit = work.documents.filter(({ isSplit }) => !isSplit);
        if (unsplit.length > 0) {
          // In an own transaction: full-text search finds them even without vectors.
          for (const document of unsplit) await this.#split(transaction, work, document);
          return 0;
        }
        await this.#advance(transaction, work, closing);
        this.#embedderFailures = 0;
        if (this.#singleSteps > 0) this.#singleSteps--;
        return 0;
      });
    } catch (error) {
      return closing.aborted ? 0 : this.#afterFailure(error, work);
    }
  }

  async #afterFailure(error: unknown, work: PendingWork | undefined): Promise<number> {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // The batch got no CPU: not a failure.
    if (code === 'ABORTED') return RETRY_DELAY_MS;
    if (code === 'EMBEDDING_FAILED') {
      const waitMs = BACKOFF_MS[Math.min(this.#embedderFailures++, BACKOFF_MS.length - 1)]!;
      this.#log.warn({ err: error, waitMs }, 'The embedding endpoint does not respond');
      return waitMs;
    }
    const [document, ...others] = work?.documents ?? [];
    if (document && others.length > 0) {
      this.#singleSteps = MAX_DOCUMENTS;
      return 0;
    }
    this.#log.error({ err: error }, 'Cannot index a batch of documents');
    if (document) await this.#repository.countFailure(document.id);
    return RETRY_DELAY_MS;
  }

  /** Embeds one batch of the documents' passages. */
  async #advance(
    transaction: Knex.Transaction,
    work: PendingWork,
    closing: AbortSignal,
  ): Promise<void> {
    const repository = this.#repository;
    const ids = work.documents.map(({ id }) => id);
    const batchSize = this.#embedder.isRemote ? REMOTE_BATCH : LOCAL_BATCH;
    const found = await repository.withoutVectors(transaction, ids, batchSize);
    const windows: string[] = [];
    const batch: { readonly id: number; readonly from: number; readonly to: number }[] = [];
    for (const passage of found) {
      if (windows.length >= batchSize) break;
      const from = windows.length;
      windows.push(...embeddingWindows(passage, this.#embedder.windowTokens).slice(0, MAX_WINDOWS));
      batch.push({ id: passage.id, from, to: windows.length });
    }
    if (batch.length > 0) {
      const vectors = await this.#embedder.embed(windows, {
        priority: 'background',
        signal: AbortSignal.any([closing, AbortSignal.timeout(BATCH_TIMEOUT_MS)]),
      });
      const byId = new Map(batch.map(({ id, from, to }) => [id, vectors.slice(from, to)]));
      await repository.storeVectors(transaction, work.kbId, byId);
    }
    await repository.markIndexed(transaction, ids);
  }

  async #split(
    transaction: Knex.Transaction,
    { kbId, language: known }: PendingWork,
    document: PendingDocument,
  ): Promise<void> {
    const { text, title } = await this.#repository.textOf(transaction, document.id);
    const language = known ?? documentLanguage(text);
    const passages = await runInSteps(chunkDocument(text, language));
    const titled = passages.map((passage) => withDocumentTitle(passage, title));
    await this.#repository.insertPassages(transaction, { kbId, document, language }, titled);
  }
}

/** Gives a passage without heading the document's title. */
function withDocumentTitle(passage: DocumentPassage, title: string): DocumentPassage {
  return passage.title === '' ? { ...passage, title } : passage;
}
