import { abortError } from '../errors.js';
import { SentenceHold } from './sentences.js';

/** A text that comes in pieces, for one reader, who gets it by whole sentences. */
export class SentenceFeed {
  readonly #hold: SentenceHold;
  readonly #ready: string[] = [];
  #wake: () => void = () => undefined;
  #hasEnded = false;

  /** @param language ISO 639-1. */
  constructor(language: string) {
    this.#hold = new SentenceHold(language);
  }

  /** Nothing more comes. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  push(text: string): void {
    if (this.#hasEnded) return;
    this.#add(this.#hold.push(text));
  }

  /** The text has paused: a sentence that has ended is held no longer. */
  settle(): void {
    this.#add(this.#hold.settle());
  }

  /** What was held is the last sentence. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const part of this.#hold.flush()) this.#add(part);
    this.#wake();
  }

  /** @throws MediaError ABORTED when the signal fires, also while nothing is there. */
  async *sentences(signal: AbortSignal): AsyncGenerator<string> {
    const onAbort = () => this.#wake();
    signal.addEventListener('abort', onAbort);
    try {
      for (;;) {
        if (signal.aborted) throw abortError();
        const [next] = this.#ready.splice(0, 1);
        if (next !== undefined) yield next;
        else if (this.#hasEnded) return;
        else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #add(text: string): void {
    if (text.trim() === '') return;
    this.#ready.push(text);
    this.#wake();
  }
}
