import { AsyncQueue } from '../async/async-queue.js';
import { SentenceBuffer } from './sentences.js';

/** Collects a text that arrives in parts and delivers whole sentences to one reader. */
export class SentenceFeed {
  readonly #buffer: SentenceBuffer;
  readonly #ready = new AsyncQueue<string>();

  /** @param language - ISO 639-1 */
  constructor(language: string) {
    this.#buffer = new SentenceBuffer(language);
  }

  /** Whether `end` was called. */
  get hasEnded(): boolean {
    return this.#ready.isClosed;
  }

  /** Adds a part of the text; ignored after `end`. */
  push(text: string): void {
    if (!this.hasEnded) this.#add(this.#buffer.push(text));
  }

  /** Delivers a sentence that waits for the text after its full stop. The owner calls it when the text pauses. */
  settle(): void {
    this.#add(this.#buffer.settle());
  }

  /** Delivers the rest of the text as its last sentence. */
  end(): void {
    if (this.hasEnded) return;
    for (const part of this.#buffer.flush()) this.#add(part);
    this.#ready.close();
  }

  /**
   * Yields the sentences until `end`.
   * @throws MediaError ABORTED when the signal fires, also while no sentence is complete
   */
  sentences(signal: AbortSignal): AsyncGenerator<string> {
    return this.#ready.read(signal);
  }

  #add(text: string): void {
    if (text.trim() !== '') this.#ready.push(text);
  }
}
