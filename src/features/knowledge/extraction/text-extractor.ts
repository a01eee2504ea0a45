import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { DocumentKind } from './document-kind.js';
import {
  EXTRACTION_LIMITS,
  type ExtractedText,
  type ExtractionBounds,
  type ExtractionReply,
  type ToSupervisor,
  UnreadableDocument,
} from './extraction.js';
import { spawnIsolated } from './spawn-isolated.js';

const BOUNDS: ExtractionBounds = {
  limits: EXTRACTION_LIMITS,
  timeoutMs: 120_000,
  memoryBytes: 512 * 1_048_576,
};
/** Heap limit of the supervisor, which holds one file and one text. */
const HEAP_MB = 64;

/** The gateway is closing, or the supervisor ended. The document is unchanged. */
export class ExtractionStopped extends Error {
  override readonly name = 'ExtractionStopped';
}

/**
 * Extracts text from documents, one at a time, in a low-priority process. A small supervisor process starts
 * and stops it: a fork of the gateway would stop all its threads while its page tables are copied.
 */
export class TextExtractor {
  readonly #bounds: ExtractionBounds;
  #supervisor: ChildProcess | undefined;
  #settle: ((reply: ExtractionReply | undefined) => void) | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(bounds: Partial<ExtractionBounds> = {}) {
    this.#bounds = { ...BOUNDS, ...bounds };
  }

  /** The process id of the supervisor, if it runs. */
  get pid(): number | undefined {
    return this.#supervisor?.connected ? this.#supervisor.pid : undefined;
  }

  /** Starts the supervisor. Call it before there are calls; otherwise the first document starts it. */
  start(): void {
    if (!this.#isClosed) this.#started();
  }

  /**
   * @param parts - the file in small chunks
   * @throws UnreadableDocument with the reason; ExtractionStopped; errors of `parts`
   */
  extract(
    kind: DocumentKind,
    parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<ExtractedText> {
    const result = this.#last.then(() => this.#extract(kind, parts));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const keeper = this.#supervisor;
    if (keeper?.pid && keeper.exitCode === null && keeper.signalCode === null) {
      const ended = once(keeper, 'exit');
      keeper.ref();
      if (keeper.connected) keeper.disconnect();
      await ended;
    }
    await this.#last;
  }

  async #extract(
    kind: DocumentKind,
    parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<ExtractedText> {
    if (this.#isClosed) throw new ExtractionStopped('The text extractor is closed');
    const keeper = this.#started();
    keeper.channel?.ref();
    const replied = new Promise<ExtractionReply | undefined>((resolve) => {
      this.#settle = resolve;
    });
    try {
      await send(keeper, { type: 'file' });
      for await (const bytes of parts) await send(keeper, { type: 'part', bytes });
      await send(keeper, { type: 'read', kind });
      const reply = await replied;
      if (reply?.ok) return reply.output;
      if (!reply) throw new ExtractionStopped('The process that extracts texts ended');
      throw new UnreadableDocument(reply.reason);
    } finally {
      this.#settle = undefined;
      keeper.channel?.unref();
    }
  }

  #started(): ChildProcess {
    if (this.#supervisor?.connected) return this.#supervisor;
    const keeper = spawnIsolated('./extraction-supervisor.js', HEAP_MB, [
      JSON.stringify(this.#bounds),
    ]);
    const onEnd = () => {
      if (this.#supervisor === keeper) this.#settle?.(undefined);
    };
    keeper.on('message', (reply) => this.#settle?.(reply as ExtractionReply));
    keeper.on('exit', onEnd);
    keeper.on('error', onEnd);
    keeper.unref();
    keeper.channel?.unref();
    this.#supervisor = keeper;
    return keeper;
  }
}

/** Resolves when the message is sent. `exit` reports failures. */
function send(keeper: ChildProcess, message: ToSupervisor): Promise<void> {
  return new Promise((resolve) => keeper.send(message, () => resolve()));
}
