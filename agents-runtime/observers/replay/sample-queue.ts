/** Samples that wait their turn; they are copied in. */
export class SampleQueue {
  readonly #parts: Float32Array[] = [];
  #offset = 0;

  push(samples: Float32Array): void {
    this.#parts.push(samples.slice());
  }

  /** The oldest samples, so many of them; those that were never pushed are silence. */
  take(length: number): Float32Array {
    const out = new Float32Array(length);
    for (let filled = 0; filled < length && this.#parts.length > 0; ) {
      const first = this.#parts[0]!;
      const part = first.subarray(this.#offset, this.#offset + length - filled);
      out.set(part, filled);
      filled += part.length;
      this.#offset += part.length;
      if (this.#offset < first.length) continue;
      this.#parts.shift();
      this.#offset = 0;
    }
    return out;
  }
}
