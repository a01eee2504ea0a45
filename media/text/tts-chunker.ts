import type { AlignedText } from './aligned-text.js';
import type { Dictionary, Pronounced } from './dictionary/dictionary.js';
import { placedIn } from './dictionary/dictionary.js';
import { isSpeakable, type SentenceOptions, SentenceStream } from './sentences.js';
import { CodeBlockFilter, speechTextOf } from './speech-text.js';

/** A part of a written reply for a voice. */
export interface TtsChunk {
  /** The text of the reply, with leading white space. */
  readonly written: string;
  /** The text to speak; its origin is `written`. */
  readonly spoken: AlignedText;
  /** Parts of `spoken` with a transcription from the dictionary. */
  readonly pronounced: readonly Pronounced[];
}

/** Options of a `TtsChunker`. */
export interface TtsChunkerOptions extends SentenceOptions {
  /** Default: none. */
  readonly dictionary?: Dictionary | undefined;
}

/**
 * Converts the tokens of a reply to chunks for a voice: removes code blocks, splits sentences, applies the
 * dictionary and rewrites markup. The chunks do not depend on the tokens. Chunks without letters and digits
 * are omitted.
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

  /** @returns the chunks that the token completes */
  push(token: string): TtsChunk[] {
    return this.#chunksOf(this.#sentences.push(this.#code.push(token)));
  }

  /** Ends the reply. @returns the remaining chunks */
  flush(): TtsChunk[] {
    const rest = this.#sentences.push(this.#code.flush());
    return this.#chunksOf([...rest, ...this.#sentences.flush()]);
  }

  #chunksOf(sentences: readonly string[]): TtsChunk[] {
    return sentences
      .map((written) => this.#chunkOf(written))
      .filter(({ spoken }) => isSpeakable(spoken.text));
  }

  /** Applies the dictionary before the rules, because its words are written forms. */
  #chunkOf(written: string): TtsChunk {
    const replaced = this.#dictionary?.apply(written);
    const spoken = speechTextOf(replaced?.text ?? written, this.#language);
    return { written, spoken, pronounced: placedIn(spoken, replaced?.pronounced ?? []) };
  }
}
