import { SampleQueue } from '../../media/audio/sample-queue.js';
import { type SpokenChunk, SpokenTextAlignment } from './spoken-text-alignment.js';

/** Speech is synthesised at most this far ahead of playout. */
const AHEAD_SECONDS = 2;

/**
 * Buffers speech between synthesis and playout: pulls a source until it is two seconds ahead, and
 * records which text the samples say.
 */
export class SpeechBuffer {
  readonly alignment = new SpokenTextAlignment();
  readonly #source: AsyncGenerator<SpokenChunk>;
  readonly #aheadSamples: number;
  readonly #samples = new SampleQueue();
  readonly #onChange: () => void;
  #hasSourceEnded = false;
  #isClosed = false;
  #wake: (() => void) | undefined;
  /** The error that ended the source. Samples before it are still played. */
  fault: unknown;

  /** @param onChange - called when samples have arrived or the source has ended */
  constructor(source: AsyncGenerator<SpokenChunk>, sampleRate: number, onChange: () => void) {
    this.#source = source;
    this.#aheadSamples = AHEAD_SECONDS * sampleRate;
    this.#onChange = onChange;
    void this.#pull();
  }

  /** Number of buffered samples. */
  get buffered(): number {
    return this.#samples.length;
  }

  /** Whether the source has ended; samples may remain. */
  get hasSourceEnded(): boolean {
    return this.#hasSourceEnded;
  }

  /** Whether the source has ended and no samples remain. */
  get isDrained(): boolean {
    return this.#hasSourceEnded && this.buffered === 0;
  }

  /**
   * Fills `frame` with the next samples, at the end of the source padded with silence. Reads nothing
   * and returns false if the source has not ended and fewer samples than a frame are buffered.
   */
  read(frame: Float32Array): boolean {
    if (this.buffered === 0) return false;
    if (this.buffered < frame.length && !this.#hasSourceEnded) return false;
    const samples = this.#samples.peek(0, frame.length);
    frame.set(samples);
    frame.fill(0, samples.length);
    this.#samples.drop(samples.length);
    this.#wake?.();
    return true;
  }

  /** Stops the source; idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#hasSourceEnded = true;
    this.#samples.drop(this.buffered);
    this.#wake?.();
  }

  async #pull(): Promise<void> {
    try {
      for await (const chunk of this.#source) {
        if (this.#isClosed) break;
        this.alignment.add(chunk);
        this.#samples.push(chunk.samples);
        this.#onChange();
        await this.#waitForSpace();
        if (this.#isClosed) break;
      }
      if (!this.#isClosed) this.alignment.complete();
    } catch (error) {
      if (!this.#isClosed) this.fault = error;
    }
    this.#hasSourceEnded = true;
    if (!this.#isClosed) this.#onChange();
  }

  async #waitForSpace(): Promise<void> {
    while (this.buffered > this.#aheadSamples && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
