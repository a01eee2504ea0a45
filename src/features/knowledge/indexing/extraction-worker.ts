import type { Logger } from 'pino';
import { PollingWorker } from '../../../platform/jobs/polling-worker.js';
import type { DocumentsRepository } from '../documents.repository.js';
import { UnreadableDocument } from '../extraction/extraction.js';
import type { TextExtractor } from '../extraction/text-extractor.js';

/** Finds files that other gateways left. */
const POLL_INTERVAL_MS = 15_000;

/** Extracts the texts of submitted files, one at a time. Accounts are served round robin. */
export class ExtractionWorker {
  readonly #documents: DocumentsRepository;
  readonly #extractor: TextExtractor;
  readonly #onText: () => void;
  readonly #loop: PollingWorker;
  /** The last account in the order of turns. */
  #lastAccount: string | undefined;

  constructor(parts: {
    readonly documents: DocumentsRepository;
    readonly extractor: TextExtractor;
    readonly log: Logger;
    /** Called when there is a text to index. */
    readonly onText: () => void;
  }) {
    this.#documents = parts.documents;
    this.#extractor = parts.extractor;
    this.#onText = parts.onText;
    this.#loop = new PollingWorker((closing) => this.#step(closing), parts.log);
  }

  start(): void {
    this.#extractor.start();
    this.#loop.start();
  }

  /** Call when files were added. */
  readonly wake = (): void => this.#loop.wake();

  /** Releases the current file. */
  async close(): Promise<void> {
    await Promise.all([this.#loop.close(), this.#extractor.close()]);
  }

  async #step(closing: AbortSignal): Promise<number> {
    const claimed = await this.#documents.claimFile(this.#lastAccount);
    if (!claimed) return POLL_INTERVAL_MS;
    this.#lastAccount = claimed.accountId;
    try {
      const text = await this.#extractor.extract(claimed.kind, this.#documents.fileChunks(claimed));
      await this.#documents.storeText(claimed, text);
      this.#onText();
    } catch (error) {
      if (error instanceof UnreadableDocument) {
        await this.#documents.storeFailure(claimed, error.message);
        return 0;
      }
      await this.#documents.releaseClaim(claimed);
      if (!closing.aborted) throw error;
    }
    return 0;
  }
}
