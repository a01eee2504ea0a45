import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { DocumentKind } from './document-kind.js';
import {
  EXTRACTION_LIMITS,
  type ExtractedText,
  type ExtractionLimits,
  type ExtractionReply,
  UnreadableDocument,
} from './extraction.js';

export interface TextExtractorOptions {
  readonly limits?: ExtractionLimits;
  /** For one document. */
  readonly timeoutMs?: number;
  /** Of the process as a whole; some 60 MB are the libraries. */
  readonly memoryBytes?: number;
}

const TIMEOUT_MS = 120_000;
const MEMORY_BYTES = 512 * 1_048_576;
const HEAP_MB = 256;
/** Memory is looked at so often: a bomb inflates some tens of megabytes in between. */
const LOOK_EVERY_MS = 25;
/** An idle process is ended after so long. */
const IDLE_MS = 20_000;
const PAGE_BYTES = 4_096;

/** The gateway is closing: the document is as it was. */
export class ExtractionStopped extends Error {
  override readonly name = 'ExtractionStopped';
}

/**
 * Takes text from documents in a process of its own, which stands back behind calls, knows no setting or secret, and is ended and replaced when a document takes too long
 * or too much memory. One document at a time.
 */
export class TextExtractor {
  readonly #options: Required<TextExtractorOptions>;
  #child: ChildProcess | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: TextExtractorOptions = {}) {
    this.#options = {
      limits: EXTRACTION_LIMITS,
      timeoutMs: TIMEOUT_MS,
      memoryBytes: MEMORY_BYTES,
      ...options,
    };
  }

  /** @throws UnreadableDocument with the reason; ExtractionStopped when closed meanwhile. */
  extract(kind: DocumentKind, bytes: Uint8Array): Promise<ExtractedText> {
    const result = this.#last.then(() => this.#extract(kind, bytes));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#end();
    await this.#last;
  }

  async #extract(kind: DocumentKind, bytes: Uint8Array): Promise<ExtractedText> {
    if (this.#isClosed) throw new ExtractionStopped('The text extractor is closed');
    clearTimeout(this.#idle);
    const child = this.#start();
    let fault = 'It cannot be read';
    const endFor = (reason: string) => {
      fault = reason;
      this.#end();
    };
    const { timeoutMs, limits } = this.#options;
    const late = setTimeout(() => endFor('It takes too long to read'), timeoutMs);
    const watch = setInterval(() => {
      void this.#isTooLarge(child).then((is) => is && endFor('It takes too much memory to read'));
    }, LOOK_EVERY_MS);
    try {
      const reply = await answered(child, { kind, bytes, limits });
      if (reply?.ok) return reply.output;
      if (!reply && this.#isClosed) throw new ExtractionStopped('The text extractor was closed');
      throw new UnreadableDocument(reply?.reason ?? fault);
    } finally {
      clearTimeout(late);
      clearInterval(watch);
      this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
    }
  }

  #start(): ChildProcess {
    if (this.#child?.connected) return this.#child;
    const child = fork(fileURLToPath(new URL('./extract.child.js', import.meta.url)), {
      env: {},
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // What goes wrong is told by its end.
    child.on('error', () => undefined);
    if (child.pid !== undefined) beNice(child.pid);
    child.unref();
    child.channel?.unref();
    this.#child = child;
    return child;
  }

  #end(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  /** Buffers are beside the heap that V8 bounds, so the system is asked; Linux tells. */
  async #isTooLarge({ pid }: ChildProcess): Promise<boolean> {
    if (process.platform !== 'linux') return false;
    const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
    return Number(statm.split(' ')[1] ?? 0) * PAGE_BYTES > this.#options.memoryBytes;
  }
}

function beNice(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended by now, which whoever waits for it is told.
  }
}

/** Its reply; undefined when it ended without one. */
function answered(child: ChildProcess, job: object): Promise<ExtractionReply | undefined> {
  return new Promise((resolve) => {
    const settle = (reply: ExtractionReply | undefined) => {
      child.off('message', onMessage);
      child.off('exit', onEnd);
      child.off('error', onEnd);
      child.channel?.unref();
      resolve(reply);
    };
    const onMessage = (message: unknown) => settle(message as ExtractionReply);
    const onEnd = () => settle(undefined);
    child.on('message', onMessage);
    child.on('exit', onEnd);
    child.on('error', onEnd);
    child.channel?.ref();
    child.send(job, (error) => error && onEnd());
  });
}
