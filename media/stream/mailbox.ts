/**
 * The one border between a producer that cannot wait and a consumer: bounded, drops the oldest and
 * counts what it drops. One consumer reads it with `for await`.
 */
export class Mailbox<T> implements AsyncIterable<T> {
  readonly #items: T[] = [];
  readonly #capacity: number;
  readonly #onDrop: (item: T) => void;
  #wake: (() => void) | undefined;
  #closed = false;
  #dropped = 0;

  /** @param onDrop is told of each item that had to go, so that the consumer can leave a gap of its length. */
  constructor(capacity: number, onDrop: (item: T) => void = () => undefined) {
    this.#capacity = capacity;
    this.#onDrop = onDrop;
  }

  /** How many items have been dropped so far. */
  get dropped(): number {
    return this.#dropped;
  }

  get length(): number {
    return this.#items.length;
  }

  /** Adds an item; after `close` it is ignored. */
  post(item: T): void {
    if (this.#closed) return;
    if (this.#items.length >= this.#capacity) {
      this.#dropped++;
      this.#onDrop(this.#items.shift()!);
    }
    this.#items.push(item);
    this.#wake?.();
  }

  /** Ends the consumer's loop once it has read what is there. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      while (this.#items.length > 0) yield this.#items.shift()!;
      if (this.#closed) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
