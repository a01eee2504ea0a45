import { concat, float32Of } from '../../audio/pcm.js';
import type { SpeechChunk, WordTime } from '../text-to-speech.js';
import { ESPEAK_SAMPLE_RATE, type EspeakEvent } from './protocol.js';

interface OpenWord {
  readonly textStart: number;
  readonly textEnd: number;
  readonly startSample: number;
  /** End of the word's clause, if it precedes the next word. */
  endSample: number | undefined;
}

/** Maps a range of the chunk's text, in code points, to its range in the utterance, in UTF-16 units. Half-open. */
export type WordRange = (
  start: number,
  end: number,
) => { readonly textStart: number; readonly textEnd: number };

/**
 * Delays audio until the ends of the words that start in it are known, so that no word is reported after its
 * audio. Positions count from the start of the utterance.
 */
export class WordTiming {
  #held: Float32Array[] = [];
  #heldLength = 0;
  #released = 0;
  /** First sample of the current piece. */
  #pieceStart = 0;
  #open: OpenWord | undefined;
  #words: WordTime[] = [];
  #textEnd = 0;

  /**
   * Adds a stretch of audio.
   * @param samples - mono, 16-bit, at `ESPEAK_SAMPLE_RATE`
   * @returns the audio whose words are complete; undefined if there is none
   */
  push(
    samples: Int16Array,
    events: readonly EspeakEvent[],
    rangeOf: WordRange,
  ): SpeechChunk | undefined {
    this.#hold(float32Of(samples));
    for (const event of events) {
      const at = this.#pieceStart + Math.round((event.atMs * ESPEAK_SAMPLE_RATE) / 1000);
      if (event.type === 'end') {
        if (this.#open) this.#open.endSample ??= at;
      } else this.#beginWord(at, rangeOf(event.start, event.start + event.length));
    }
    const completeUntil = this.#open?.startSample ?? Number.POSITIVE_INFINITY;
    return this.#release(Math.min(this.#heldLength, completeUntil - this.#released));
  }

  /** Ends the current chunk of text. @param silence - samples to add @returns the remaining audio */
  endPiece(silence: number): SpeechChunk | undefined {
    this.#endWord(this.#released + this.#heldLength);
    this.#hold(new Float32Array(silence));
    this.#pieceStart = this.#released + this.#heldLength;
    return this.#release(this.#heldLength);
  }

  #beginWord(at: number, { textStart, textEnd }: ReturnType<WordRange>): void {
    const open = this.#open;
    if (open && textStart < open.textEnd) {
      // The words of a number or a spelling have the same range and count as one.
      open.endSample = undefined;
      return;
    }
    this.#endWord(at);
    const start = Math.max(textStart, this.#textEnd);
    if (textEnd > start) {
      this.#open = { textStart: start, textEnd, startSample: at, endSample: undefined };
    }
  }

  #endWord(at: number): void {
    const word = this.#open;
    this.#open = undefined;
    if (!word) return;
    this.#textEnd = word.textEnd;
    const endSample = word.endSample ?? at;
    if (endSample > word.startSample) this.#words.push({ ...word, endSample });
  }

  #hold(samples: Float32Array): void {
    this.#held.push(samples);
    this.#heldLength += samples.length;
  }

  #release(count: number): SpeechChunk | undefined {
    if (count <= 0) return undefined;
    const all = concat(Float32Array, this.#held);
    this.#held = [all.subarray(count)];
    this.#heldLength -= count;
    this.#released += count;
    const words = this.#words;
    this.#words = [];
    return { samples: all.slice(0, count), words };
  }
}
