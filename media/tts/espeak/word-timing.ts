import { concat, float32Of } from '../../audio/pcm.js';
import type { SpeechChunk, WordTime } from '../text-to-speech.js';
import { ESPEAK_SAMPLE_RATE, type EspeakEvent } from './protocol.js';

interface OpenWord {
  readonly textStart: number;
  readonly textEnd: number;
  readonly startSample: number;
  /** End of its clause, if that comes before the next word. */
  endSample: number | undefined;
}

/** Maps a word of the spoken piece to its range in the utterance; half-open UTF-16 indexes. */
export type WordRange = (
  start: number,
  end: number,
) => { readonly textStart: number; readonly textEnd: number };

/**
 * Delays audio until the ends of the words that start in it are known, so that a word is never reported
 * after its audio. Times count over all pieces of an utterance.
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

  /** Takes a stretch of a piece and returns the audio that is complete. */
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

  /** Ends the current piece with a silence of that many samples and returns its remaining audio. */
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
