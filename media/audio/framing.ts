import type { Emit, Stage } from './stage.js';

/** Splits a stream of chunks of any lengths into frames of `frameLength` samples. */
export class Framing implements Stage<Float32Array, Float32Array> {
  readonly #frame: Float32Array;
  #filled = 0;

  /** @param frameLength - samples, ≥ 1 */
  constructor(frameLength: number) {
    this.#frame = new Float32Array(frameLength);
  }

  push(chunk: Float32Array, emit: Emit<Float32Array>): void {
    for (let read = 0; read < chunk.length; ) {
      const part = chunk.subarray(read, read + this.#frame.length - this.#filled);
      this.#frame.set(part, this.#filled);
      read += part.length;
      this.#filled = (this.#filled + part.length) % this.#frame.length;
      if (this.#filled === 0) emit(this.#frame);
    }
  }

  /** Emits the remaining samples, if any, as a shorter frame. */
  flush(emit: Emit<Float32Array>): void {
    const rest = this.#frame.subarray(0, this.#filled);
    this.#filled = 0;
    if (rest.length > 0) emit(rest);
  }
}
