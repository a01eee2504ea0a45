import { abortError } from '../errors.js';

/** A first-in, first-out queue that one reader awaits. It has no size limit: the producer bounds it. */
export class AsyncQueue<T> {
  readonly #items: T[] = [];
  #isClosed = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Appends an item. Ignored once the queue is closed. */
  push(item: T): void {
    if (this.#isClosed) return;
    this.#items.push(item);
    this.#wake?.();
  }

  /** Ends the queue: after the queued items, the reader finishes. Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#wake?.();
  }

  /** Ends the queue: after the queued items, the reader throws `error`. */
  fail(error: unknown): void {
    if (!this.#isClosed) this.#failure = { error };
    this.close();
  }

  /**
   * Removes and yields items until the queue is closed and empty.
   * @param signal - default: none
   * @throws MediaError ABORTED when the signal fires, also while the queue is empty
   * @throws the error given to `fail`, after the queued items
   */
  async *read(signal?: AbortSignal): AsyncGenerator<T> {
    const onAbort = () => this.#wake?.();
    signal?.addEventListener('abort', onAbort);
    try {
      for (;;) {
        if (signal?.aborted) throw abortError();
        if (this.#items.length > 0) yield this.#items.shift()!;
        else if (this.#failure) throw this.#failure.error;
        else if (this.#isClosed) return;
        else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }
}
