import type { AlignedText } from './aligned-text.js';
import type { Dictionary, Pronounced } from './dictionary/dictionary.js';
import { placedIn } from './dictionary/dictionary.js';
import { type SentenceOptions, SentenceStream } from './sentences.js';
import { CodeBlockFilter, speechTextOf } from './speech-text.js';

/** A piece of a written reply that a voice can say. */
export interface TtsChunk {
  /** As the reply has it, with the white space before it. */
  readonly written: string;
  /** As it is said; its ranges are those of `written`. */
  readonly spoken: AlignedText;
  /** The parts of `spoken` that a dictionary transcribes. */
  readonly pronounced: readonly Pronounced[];
}

export interface TtsChunkerOptions extends SentenceOptions {
  readonly dictionary?: Dictionary | undefined;
}

const SAYABLE = /[\p{L}\p{N}]/u;

/**
 * From the tokens of a reply to pieces to speak: code blocks left out, cut by sentences, made
 * speakable. The same however the reply is cut into tokens; pieces with nothing to say are skipped.
 */
export class TtsChunker {
  readonly #language: string;
  readonly #dictionary: Dictionary | undefined;
  readonly #code = new CodeBlockFilter();
  readonly #sentences: SentenceStream;

  constructor(options: TtsChunkerOptions) {
    this.#language = options.language;
    this.#dictionary = options.dictionary;
    this.#sentences = new SentenceStream(options);
  }

  push(token: string): TtsChunk[] {
    return this.#sayable(this.#sentences.push(this.#code.push(token)));
  }

  flush(): TtsChunk[] {
    const rest = this.#sentences.push(this.#code.flush());
    return this.#sayable([...rest, ...this.#sentences.flush()]);
  }

  #sayable(pieces: readonly string[]): TtsChunk[] {
    return pieces
      .map((written) => this.#said(written))
      .filter(({ spoken }) => SAYABLE.test(spoken.text));
  }

  /** What a dictionary says comes first, as it knows words as they are written. */
  #said(written: string): TtsChunk {
    const replaced = this.#dictionary?.apply(written);
    const spoken = speechTextOf(replaced?.text ?? written, this.#language);
    return { written, spoken, pronounced: placedIn(spoken, replaced?.pronounced ?? []) };
  }
}
