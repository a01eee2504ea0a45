/** Samples. The buffer grows by doubling. */
const INITIAL_LENGTH = 16_000;

/** The audio of one leg, signed 16 bit. */
export class SimulatedAudioTrack {
  #pcm = new Int16Array(INITIAL_LENGTH);
  #length = 0;

  /** All samples so far. Valid until the next `add`. */
  get pcm(): Int16Array {
    return this.#pcm.subarray(0, this.#length);
  }

  /** Adds a frame, or `length` samples of silence. */
  add(frame: Int16Array | undefined, length: number): void {
    if (this.#length + length > this.#pcm.length) {
      const larger = new Int16Array(this.#pcm.length * 2);
      larger.set(this.#pcm);
      this.#pcm = larger;
    }
    if (frame) this.#pcm.set(frame, this.#length);
    this.#length += length;
  }
}
