/** Grows by doubling from so many samples. */
const FIRST_LENGTH = 16_000;

/** The sound of one leg from its beginning on, signed 16 bit. */
export class SoundTrack {
  #pcm = new Int16Array(FIRST_LENGTH);
  #length = 0;

  /** All of it so far; valid until the next `add`. */
  get pcm(): Int16Array {
    return this.#pcm.subarray(0, this.#length);
  }

  /** Adds a frame, or so many samples of silence. */
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
