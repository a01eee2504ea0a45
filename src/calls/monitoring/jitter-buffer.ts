/** Audio that is buffered before it is mixed, so that late packets cause no gaps. */
const DELAY_S = 0.12;
/** Maximum length. The oldest audio is dropped. */
const MAX_S = 2;

/** The jitter buffer of one leg of a call for listeners. */
export class JitterBuffer {
  readonly #delay: number;
  readonly #max: number;
  #parts: Float32Array[] = [];
  #length = 0;
  #waited = 0;
  #isPlaying = false;

  /** @param rate - Hz */
  constructor(rate: number) {
    this.#delay = DELAY_S * rate;
    this.#max = MAX_S * rate;
  }

  /** @param samples - owned by the queue */
  push(samples: Float32Array): void {
    this.#parts.push(samples);
    this.#length += samples.length;
    while (this.#length > this.#max) this.#length -= this.#parts.shift()?.length ?? this.#length;
  }

  /** Adds the next samples to a block, which may contain another leg. */
  addTo(block: Float32Array): void {
    if (!this.#isPlaying) {
      if (this.#length === 0) return;
      this.#waited += block.length;
      this.#isPlaying = this.#length >= this.#delay || this.#waited > this.#delay;
      if (!this.#isPlaying) return;
    }
    this.#waited = 0;
    let filled = 0;
    while (filled < block.length && this.#parts.length > 0) {
      const part = this.#parts[0]!;
      const count = Math.min(part.length, block.length - filled);
      for (let i = 0; i < count; i++) block[filled + i]! += part[i]!;
      filled += count;
      this.#length -= count;
      if (count === part.length) this.#parts.shift();
      else this.#parts[0] = part.subarray(count);
    }
    if (filled < block.length) this.#isPlaying = false;
  }
}
