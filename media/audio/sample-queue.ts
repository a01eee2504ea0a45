/** A queue of samples, first in, first out. */
export class SampleQueue {
  #samples = new Float32Array(0);
  #from = 0;
  #to = 0;

  get length(): number {
    return this.#to - this.#from;
  }

  /** Appends a copy of the samples. */
  push(samples: Float32Array): void {
    if (this.#to + samples.length > this.#samples.length) this.#makeRoom(samples.length);
    this.#samples.set(samples, this.#to);
    this.#to += samples.length;
  }

  /** A view of the samples `start`…`end` (half-open), counted from the oldest. Valid until the next `push`. */
  peek(start: number, end: number): Float32Array {
    return this.#samples.subarray(this.#from + start, Math.min(this.#from + end, this.#to));
  }

  /** Removes the oldest `count` samples. */
  drop(count: number): void {
    this.#from = Math.min(this.#from + count, this.#to);
  }

  /** Removes and returns the oldest `count` samples, padded with silence if the queue is shorter. */
  take(count: number): Float32Array {
    const out = new Float32Array(count);
    out.set(this.peek(0, count));
    this.drop(count);
    return out;
  }

  #makeRoom(count: number): void {
    const waiting = this.#samples.subarray(this.#from, this.#to);
    const needed = waiting.length + count;
    if (needed * 2 > this.#samples.length) {
      const larger = new Float32Array(needed * 2);
      larger.set(waiting);
      this.#samples = larger;
    } else this.#samples.copyWithin(0, this.#from, this.#to);
    this.#to -= this.#from;
    this.#from = 0;
  }
}
