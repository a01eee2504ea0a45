import { type SpokenChunk, SpokenTextAlignment } from './spoken-text-alignment.js';

/** Speech is made at most this far ahead of what has been sent. */
const AHEAD_SECONDS = 2;

/**
 * Speech between the voice that makes it and the playout that sends it: pulls a source until it is
 * two seconds ahead, hands out samples, and remembers which text they say.
 */
export class SpeechBuffer {
  readonly heard = new SpokenTextAlignment();
  readonly #source: AsyncGenerator<SpokenChunk>;
  readonly #aheadSamples: number;
  readonly #chunks: Float32Array[] = [];
  readonly #onChange: () => void;
  #buffered = 0;
  #offset = 0;
  #sourceEnded = false;
  #closed = false;
  #wake: (() => void) | undefined;
  /** Why the source broke off, if it did; what came before is still played. */
  fault: unknown;

  /** @param onChange is called when samples have come or the source has ended. */
  constructor(source: AsyncGenerator<SpokenChunk>, sampleRate: number, onChange: () => void) {
    this.#source = source;
    this.#aheadSamples = AHEAD_SECONDS * sampleRate;
    this.#onChange = onChange;
    void this.#pull();
  }

  get buffered(): number {
    return this.#buffered;
  }

  /** All of the speech has been made, played or not. */
  get isWhole(): boolean {
    return this.#sourceEnded;
  }

  /** No more samples will come. */
  get ended(): boolean {
    return this.#sourceEnded && this.#buffered === 0;
  }

  /**
   * Fills `frame` with the next samples. A frame that the source's end leaves short is padded with
   * silence; without enough samples for a whole one before the end, nothing is read.
   */
  read(frame: Float32Array): boolean {
    if (this.#buffered === 0) return false;
    if (this.#buffered < frame.length && !this.#sourceEnded) return false;
    let filled = 0;
    while (filled < frame.length && this.#chunks.length > 0) {
      const part = this.#chunks[0]!.subarray(this.#offset, this.#offset + frame.length - filled);
      frame.set(part, filled);
      filled += part.length;
      this.#offset += part.length;
      if (this.#offset === this.#chunks[0]!.length) {
        this.#chunks.shift();
        this.#offset = 0;
      }
    }
    frame.fill(0, filled);
    this.#buffered -= filled;
    this.#wake?.();
    return true;
  }

  /** Stops the source; idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#sourceEnded = true;
    this.#chunks.length = 0;
    this.#buffered = 0;
    this.#wake?.();
  }

  async #pull(): Promise<void> {
    try {
      for await (const piece of this.#source) {
        if (this.#closed) break;
        this.heard.add(piece);
        if (piece.samples.length > 0) {
          this.#chunks.push(piece.samples);
          this.#buffered += piece.samples.length;
        }
        this.#onChange();
        await this.#room();
        if (this.#closed) break;
      }
      if (!this.#closed) this.heard.complete();
    } catch (error) {
      if (!this.#closed) this.fault = error;
    }
    this.#sourceEnded = true;
    if (!this.#closed) this.#onChange();
  }

  async #room(): Promise<void> {
    while (this.#buffered > this.#aheadSamples && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
