import { MediaError } from '../errors.js';
import { WorkerThread } from '../runtime/worker-thread.js';

import type { AudioChunk, LegRates } from './spool-writer.js';

/** Jobs of the spool worker. The client assigns the spool ids. */
export type SpoolJobs = {
  readonly open: {
    readonly input: { readonly id: number; readonly path: string; readonly rates: LegRates };
    readonly output: null;
  };
  readonly append: {
    readonly input: { readonly id: number; readonly pieces: readonly AudioChunk[] };
    readonly output: null;
  };
  readonly close: {
    readonly input: { readonly id: number; readonly durationMs?: number | undefined };
    readonly output: null;
  };
  /** Returns the duration in ms of the spool in a file. */
  readonly measure: { readonly input: string; readonly output: number };
};

/** Maximum bytes of one call that wait for the disk. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** Timeout of a write in milliseconds. A call fills MAX_WAITING_BYTES in about this time if the disk stalls. */
const REPLY_TIMEOUT_MS = 60_000;

/**
 * Writes the spools of all calls on one worker thread, in order. The jobs take no CPU permits because they are short.
 */
export class SpoolThread {
  readonly #thread = new WorkerThread<SpoolJobs>(
    new URL('./spool.worker.js', import.meta.url),
    undefined,
    { replyTimeoutMs: REPLY_TIMEOUT_MS },
  );
  #nextId = 1;

  /**
   * Opens a spool. The caller closes it.
   * @param path - file to append to; it is created if it does not exist
   * @param onFault - called once, if a write fails; the spool then ignores further samples
   */
  open(path: string, rates: LegRates, onFault: (error: unknown) => void): Spool {
    const id = this.#nextId++;
    return new Spool({ id, path, rates, onFault, run: this.#thread.run.bind(this.#thread) });
  }

  /**
   * @returns the duration of the spool in a file, in milliseconds
   * @throws MediaError INVALID_INPUT if no record of it is readable
   */
  durationOf(path: string): Promise<number> {
    return this.#thread.run('measure', path);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

interface SpoolLink {
  readonly id: number;
  readonly path: string;
  readonly rates: LegRates;
  readonly onFault: (error: unknown) => void;
  readonly run: WorkerThread<SpoolJobs>['run'];
}

/** The spool of one call. */
export class Spool {
  readonly #link: SpoolLink;
  #waitingBytes = 0;
  #isBroken = false;
  #isClosed = false;

  constructor(link: SpoolLink) {
    this.#link = link;
    this.#open();
  }

  /** @param pieces - in the order of their positions within each leg; their buffers are transferred to the worker */
  append(pieces: readonly AudioChunk[]): void {
    if (this.#isBroken || this.#isClosed || pieces.length === 0) return;
    const bytes = pieces.reduce((sum, { samples }) => sum + samples.byteLength, 0);
    if (this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
      this.#break(new MediaError('QUEUE_FULL', 'The disk is slower than the recording'));
      return;
    }
    this.#waitingBytes += bytes;
    const buffers = pieces.map(({ samples }) => samples.buffer as ArrayBuffer);
    this.#link
      .run('append', { id: this.#link.id, pieces }, buffers)
      .catch((error: unknown) => this.#reopen(error))
      .finally(() => {
        this.#waitingBytes -= bytes;
      });
  }

  /** Resolves when the file is complete or a write has failed. @param durationMs - of the recording */
  async close(durationMs: number): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const close = () => {
      const input = { id: this.#link.id, ...(!this.#isBroken && { durationMs }) };
      return this.#link.run('close', input);
    };
    await close()
      .catch((error: unknown) => {
        this.#reopen(error);
        return this.#isBroken ? undefined : close();
      })
      .catch((error: unknown) => this.#break(error));
  }

  #open(): void {
    const { id, path, rates } = this.#link;
    this.#link.run('open', { id, path, rates }).catch((error: unknown) => this.#break(error));
  }

  /** After the loss of the worker, the next worker appends to the same file. Lost samples become silence. */
  #reopen(error: unknown): void {
    if (!this.#isBroken && error instanceof MediaError && error.code === 'WORKER_DIED')
      this.#open();
    else this.#break(error);
  }

  #break(error: unknown): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#link.onFault(error);
  }
}
