export interface SentenceOptions {
  /** ISO 639-1. */
  readonly language: string;
  /** Characters from which a clause is given out without waiting for the sentence's end. */
  readonly minLength: number;
}

/** Splits a text that comes in tokens into sentences. */
export class SentenceStream {
  #text = '';
  readonly options: SentenceOptions;

  constructor(options: SentenceOptions) {
    this.options = options;
  }

  push(token: string): string[] {
    this.#text += token;
    const sentences: string[] = [];
    for (;;) {
      const match = /^(.+?[.!?])\s+/s.exec(this.#text);
      if (!match) return sentences;
      sentences.push(match[1]!.trim());
      this.#text = this.#text.slice(match[0].length);
    }
  }

  flush(): string[] {
    const text = this.#text.trim();
    this.#text = '';
    return text ? [text] : [];
  }
}
