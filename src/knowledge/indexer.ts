import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { splitDocument } from '../../agents-runtime/agent/passages.js';
import type { Embedder } from '../../media/inference/embedder.js';
import type { IndexingRepository, NewPassage, PendingDocument } from './indexing.repository.js';

/** Passages that get their vectors in one transaction: a kill loses no more than these. */
const BATCH = 8;
/** Work that another gateway left, or was given, is found after so long at the latest. */
const LOOK_EVERY_MS = 15_000;
/** A batch that calls leave no CPU for gives its lock back after so long. */
const BATCH_WITHIN_MS = 10_000;
const RETRY_AFTER_MS = 1_000;

/**
 * Cuts documents into passages and gives them vectors, a few at a time and behind all calls. The
 * database tells what is left to do, so a kill or another gateway changes nothing.
 */
export class Indexer {
  readonly #repository: IndexingRepository;
  readonly #embedder: Embedder;
  readonly #log: Logger;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #isWoken = false;

  constructor(parts: {
    readonly repository: IndexingRepository;
    readonly embedder: Embedder;
    readonly log: Logger;
  }) {
    this.#repository = parts.repository;
    this.#embedder = parts.embedder;
    this.#log = parts.log;
  }

  /** Begins with what is there. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Says that there may be work. */
  readonly wake = (): void => {
    this.#isWoken = true;
    this.#wake?.();
  };

  /** Gives up the batch in hand, which the next start does again. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    await this.#repository
      .forgetFailures()
      .catch((error) => this.#log.error({ err: error }, 'indexing could not begin anew'));
    while (!this.#closing.signal.aborted) {
      this.#isWoken = false;
      const waitMs = await this.#step();
      if (waitMs > 0) await this.#idle(waitMs);
    }
  }

  /** @returns how long to wait before the next step. */
  async #step(): Promise<number> {
    let document: PendingDocument | undefined;
    try {
      return await this.#repository.transaction(async (transaction) => {
        document = await this.#repository.claim(transaction);
        if (!document) return LOOK_EVERY_MS;
        await this.#advance(transaction, document);
        return 0;
      });
    } catch (error) {
      if (this.#closing.signal.aborted) return 0;
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      // Only waiting is ever aborted, so calls had the machine to themselves: that is no failure.
      if (code === 'ABORTED') return RETRY_AFTER_MS;
      this.#log.error({ err: error }, 'indexing failed');
      await this.#countFailure(document);
      return RETRY_AFTER_MS;
    }
  }

  async #countFailure(document: PendingDocument | undefined): Promise<void> {
    try {
      if (document) await this.#repository.countFailure(document.id);
    } catch (error) {
      this.#log.error({ err: error }, 'a failure of indexing could not be kept');
    }
  }

  /** One document one batch further. */
  async #advance(transaction: Knex.Transaction, document: PendingDocument): Promise<void> {
    const repository = this.#repository;
    if (!document.isSplit) {
      const content = await repository.contentOf(transaction, document.id);
      const passages = await splitDocument(content);
      await repository.insertPassages(transaction, document, passages);
    }
    const batch = await repository.withoutVectors(transaction, document.id, BATCH);
    if (batch.length > 0) {
      const vectors = await this.#embedder.embed(batch.map(embedded), {
        priority: 'background',
        signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(BATCH_WITHIN_MS)]),
      });
      const byId = new Map(batch.map(({ id }, i) => [id, vectors[i]!]));
      await repository.storeVectors(transaction, document.kbId, byId);
    }
    if (batch.length < BATCH) await repository.markIndexed(transaction, document.id);
  }

  /** Until there may be work, the time is over or the indexer is closed. */
  async #idle(ms: number): Promise<void> {
    if (this.#isWoken || this.#closing.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}

/** What a passage's vector stands for. */
function embedded({ heading, text }: NewPassage): string {
  return heading ? `${heading}: ${text}` : text;
}
