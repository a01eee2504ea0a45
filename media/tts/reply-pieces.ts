import { type SentenceOptions, SentenceStream } from './sentences.js';
import { CodeBlockFilter, speakable } from './speakable.js';
import type { TracedText } from './traced-text.js';

/** A piece of a written reply that a voice can say. */
export interface ReplyPiece {
  /** As the reply has it, with the white space before it. */
  readonly written: string;
  /** As it is said; its ranges are those of `written`. */
  readonly spoken: TracedText;
}

const SAYABLE = /[\p{L}\p{N}]/u;

/**
 * From the tokens of a reply to pieces to speak: code blocks left out, cut by sentences, made
 * speakable. The same however the reply is cut into tokens; pieces with nothing to say are skipped.
 */
export class ReplyPieces {
  readonly #language: string;
  readonly #code = new CodeBlockFilter();
  readonly #sentences: SentenceStream;

  constructor(options: SentenceOptions) {
    this.#language = options.language;
    this.#sentences = new SentenceStream(options);
  }

  push(token: string): ReplyPiece[] {
    return this.#sayable(this.#sentences.push(this.#code.push(token)));
  }

  flush(): ReplyPiece[] {
    const rest = this.#sentences.push(this.#code.flush());
    return this.#sayable([...rest, ...this.#sentences.flush()]);
  }

  #sayable(pieces: readonly string[]): ReplyPiece[] {
    return pieces
      .map((written) => ({ written, spoken: speakable(written, this.#language) }))
      .filter(({ spoken }) => SAYABLE.test(spoken.text));
  }
}
