import type { WordTime } from '../../media/tts/voice-model.js';

/** A piece of an utterance's speech, and the text that begins with it (if any does). */
export interface SpokenPiece {
  /**
   * A sentence, with the white space before it, whose first samples these are; '' for the rest of a
   * sentence.
   */
  readonly text: string;
  /** Times of words of the sentence, from the sentence's own start; a long one tells later words later. */
  readonly words: readonly WordTime[];
  readonly samples: Float32Array;
}

interface HeardWord {
  readonly textEnd: number;
  readonly middleSample: number;
}

/** Maps samples of an utterance to the text that they say: what was heard is what is remembered. */
export class HeardText {
  #text = '';
  #samples = 0;
  #isComplete = false;
  /** Where the running sentence begins, in text and in samples. */
  #sentenceText = 0;
  #sentenceSample = 0;
  readonly #words: HeardWord[] = [];

  /** All the text that has been spoken so far, heard or not. */
  get whole(): string {
    return this.#text.trim();
  }

  get samples(): number {
    return this.#samples;
  }

  add(piece: SpokenPiece): void {
    if (piece.text) {
      this.#sentenceText = this.#text.length;
      this.#sentenceSample = this.#samples;
      this.#text += piece.text;
    }
    for (const word of piece.words) {
      this.#words.push({
        textEnd: this.#sentenceText + word.textEnd,
        middleSample: this.#sentenceSample + (word.startSample + word.endSample) / 2,
      });
    }
    this.#samples += piece.samples.length;
  }

  /** All of its speech is there. Until then the end of the newest sentence may be missing. */
  complete(): void {
    this.#isComplete = true;
  }

  /** The text up to the last word whose middle lies before `samples` of the utterance. */
  heardAt(samples: number): string {
    if (this.#isComplete && samples >= this.#samples) return this.whole;
    let end = 0;
    for (const word of this.#words) {
      if (word.middleSample > samples) break;
      end = word.textEnd;
    }
    return this.#text.slice(0, end).trim();
  }
}
