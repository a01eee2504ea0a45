import type { WordTime } from '../../media/tts/text-to-speech.js';

/** Part of an utterance's speech, and the text that starts with it, if any. */
export interface SpokenChunk {
  /**
   * The sentence that starts with these samples, with the white space before it. '' in the other chunks of a
   * sentence.
   */
  readonly text: string;
  /** Timestamps of words, from the start of the sentence. A long sentence has more of them in later chunks. */
  readonly words: readonly WordTime[];
  readonly samples: Float32Array;
  /** The voice broke off in this sentence: words without samples are dropped. */
  readonly isBrokenOff?: boolean;
}

const SENTENCE_END = /[.!?…。！？।॥؟۔]["'”’»)\s]*$/u;
const QUESTION_END = /[?？؟]["'”’»)!！\s]*$/u;

interface AlignedWord {
  readonly textEnd: number;
  readonly middleSample: number;
}

/** Maps samples of an utterance to the text that they say, to record what the caller heard. */
export class SpokenTextAlignment {
  #text = '';
  #samples = 0;
  #isComplete = false;
  /** Start of the current sentence in the text and in samples. */
  #sentenceText = 0;
  #sentenceSample = 0;
  readonly #words: AlignedWord[] = [];
  readonly #chunks: { readonly text: string; readonly startSample: number }[] = [];

  /** All text that has been synthesised so far, played or not. */
  get whole(): string {
    return this.#text.trim();
  }

  get samples(): number {
    return this.#samples;
  }

  add(chunk: SpokenChunk): void {
    if (chunk.isBrokenOff) {
      this.#breakOff();
      return;
    }
    if (chunk.text) {
      this.#sentenceText = this.#text.length;
      this.#sentenceSample = this.#samples;
      this.#text += chunk.text;
      this.#chunks.push({ text: chunk.text, startSample: this.#samples });
    }
    for (const word of chunk.words) {
      this.#words.push({
        textEnd: this.#sentenceText + word.textEnd,
        middleSample: this.#sentenceSample + (word.startSample + word.endSample) / 2,
      });
    }
    this.#samples += chunk.samples.length;
  }

  /** Whether the sentence at `samples` of the utterance, or the one that has just ended, is a question. */
  asksAt(samples: number): boolean {
    const at = this.#chunks.findLastIndex(({ startSample }) => startSample <= samples);
    // A sentence may have several chunks: its end mark is in the last one.
    const end = this.#chunks.slice(Math.max(0, at)).find(({ text }) => SENTENCE_END.test(text));
    return QUESTION_END.test(end?.text ?? '');
  }

  /** Drops the words of the newest sentence that have no samples. */
  #breakOff(): void {
    const spoken = this.#words.filter(({ middleSample }) => middleSample <= this.#samples);
    this.#words.splice(0, this.#words.length, ...spoken);
    const end = Math.max(this.#sentenceText, spoken.at(-1)?.textEnd ?? 0);
    this.#text = this.#text.slice(0, end);
  }

  /** All speech has been added. Before that, the end of the newest sentence may be missing. */
  complete(): void {
    this.#isComplete = true;
  }

  /** The text up to the last word whose middle is before `samples` of the utterance. */
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
