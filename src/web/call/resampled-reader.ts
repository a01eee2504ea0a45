// The path is the same in `dist` and in the browser, where `..` stops at `/`.
import { Resampler } from '../../../media/audio/resampler.js';

/** Milliseconds per read. */
const BLOCK_MS = 3;

/** Reads a source of samples at another sample rate. */
export class ResampledReader {
  readonly #read: (block: Float32Array) => void;
  readonly #resampler: Resampler;
  readonly #block: Float32Array;
  #ready = new Float32Array(0);

  /**
   * @param read fills a block with the source's next samples
   * @throws MediaError INVALID_INPUT for unsupported sample rates (Hz)
   */
  constructor(sourceRate: number, rate: number, read: (block: Float32Array) => void) {
    this.#read = read;
    this.#resampler = new Resampler(sourceRate, rate);
    this.#block = new Float32Array(Math.round((sourceRate * BLOCK_MS) / 1000));
  }

  /** Fills `output` with the next samples. */
  read(output: Float32Array): void {
    while (this.#ready.length < output.length) {
      this.#read(this.#block);
      this.#resampler.push(this.#block, (samples) => this.#keep(samples));
    }
    output.set(this.#ready.subarray(0, output.length));
    this.#ready = this.#ready.slice(output.length);
  }

  #keep(samples: Float32Array): void {
    const longer = new Float32Array(this.#ready.length + samples.length);
    longer.set(this.#ready);
    longer.set(samples, this.#ready.length);
    this.#ready = longer;
  }
}
