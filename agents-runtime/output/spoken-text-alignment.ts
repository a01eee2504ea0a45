import type { WordTime } from '../../media/tts/text-to-speech.js';

/** A piece of an utterance's speech, and the text that begins with it (if any does). */
export interface SpokenChunk {
  /**
   * A sentence, with the white space before it, whose first samples these are; '' for the rest of a
   * sentence.
   */
  readonly text: string;
  /** Times of words of the sentence, from the sentence's own start; a long one tells later words later. */
  readonly words: readonly WordTime[];
  readonly samples: Float32Array;
  /** The voice broke off in this sentence: what its samples do not say is not said. */
  readonly isBroken?: boolean;
}

const SENTENCE_END = /[.!?…。！？।॥؟۔]["'”’»)\s]*$/u;
const QUESTION_END = /[?？؟]["'”’»)!！\s]*$/u;

interface AlignedWord {
  readonly textEnd: number;
  readonly middleSample: number;
}

/** Maps samples of an utterance to the text that they say: what was heard is what is remembered. */
export class SpokenTextAlignment {
  #text = '';
  #samples = 0;
  #isComplete = false;
  /** Where the running sentence begins, in text and in samples. */
  #sentenceText = 0;
  #sentenceSample = 0;
  readonly #words: AlignedWord[] = [];
  readonly #pieces: { readonly text: string; readonly startSample: number }[] = [];

  /** All the text that has been spoken so far, heard or not. */
  get whole(): string {
    return this.#text.trim();
  }

  get samples(): number {
    return this.#samples;
  }

  add(piece: SpokenChunk): void {
    if (piece.isBroken) {
      this.#breakOff();
      return;
    }
    if (piece.text) {
      this.#sentenceText = this.#text.length;
      this.#sentenceSample = this.#samples;
      this.#text += piece.text;
      this.#pieces.push({ text: piece.text, startSample: this.#samples });
    }
    for (const word of piece.words) {
      this.#words.push({
        textEnd: this.#sentenceText + word.textEnd,
        middleSample: this.#sentenceSample + (word.startSample + word.endSample) / 2,
      });
    }
    this.#samples += piece.samples.length;
  }

  /** Whether the sentence that is heard at `samples` asks, or the one that has just ended. */
  asksAt(samples: number): boolean {
    const at = this.#pieces.findLastIndex(({ startSample }) => startSample <= samples);
    // A sentence may be several pieces: the mark is at the end of its last.
    const end = this.#pieces.slice(Math.max(0, at)).find(({ text }) => SENTENCE_END.test(text));
    return QUESTION_END.test(end?.text ?? '');
  }

  /** Leaves out the words of the newest sentence that have no samples. */
  #breakOff(): void {
    const spoken = this.#words.filter(({ middleSample }) => middleSample <= this.#samples);
    this.#words.splice(0, this.#words.length, ...spoken);
    const end = Math.max(this.#sentenceText, spoken.at(-1)?.textEnd ?? 0);
    this.#text = this.#text.slice(0, end);
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
