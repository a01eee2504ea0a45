import { CALLER_SAMPLE_RATE, energyOf, toFloat32 } from '../../media/audio/pcm.js';

/** Audio before the first window of speech, 500 ms, so that the onset is not clipped. */
export const PRE_ROLL_SAMPLES = 8_000;

/** The last seconds of the caller's audio at 16 kHz. Positions are samples since the call began. */
export class AudioRingBuffer {
  readonly #ring: Int16Array;
  #end = 0;

  /** @param seconds - capacity; 16 s need 512 KB */
  constructor(seconds: number) {
    this.#ring = new Int16Array(seconds * CALLER_SAMPLE_RATE);
  }

  /** Position after the newest sample. */
  get end(): number {
    return this.#end;
  }

  /** Position of the oldest sample in the buffer. */
  get start(): number {
    return Math.max(0, this.#end - this.#ring.length);
  }

  push(samples: Int16Array): void {
    for (let read = 0; read < samples.length; ) {
      const at = this.#end % this.#ring.length;
      const part = samples.subarray(read, read + this.#ring.length - at);
      this.#ring.set(part, at);
      read += part.length;
      this.#end += part.length;
    }
  }

  /** Copies samples `start`…`end` to a new array in −1…1, as far as the buffer holds them. */
  slice(start: number, end: number): Float32Array<ArrayBuffer> {
    const from = Math.max(start, this.start);
    const to = Math.min(end, this.#end);
    const out = new Float32Array(Math.max(0, to - from));
    for (let done = 0; done < out.length; ) {
      const at = (from + done) % this.#ring.length;
      const part = this.#ring.subarray(at, at + out.length - done);
      toFloat32(part, done === 0 ? out : out.subarray(done));
      done += part.length;
    }
    return out;
  }

  /** The middle of the quietest 100 ms between two positions: the best place to split running speech. */
  quietest(start: number, end: number): number {
    const window = 1600;
    let best = end;
    let least = Number.POSITIVE_INFINITY;
    for (let at = start; at + window <= end; at += window / 2) {
      const energy = energyOf(this.slice(at, at + window));
      if (energy < least) {
        least = energy;
        best = at + window / 2;
      }
    }
    return best;
  }
}
