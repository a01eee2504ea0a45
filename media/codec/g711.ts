import { toInt16 } from '../audio/pcm.js';
import type { Emit } from '../audio/stage.js';
import type { Encoder } from './encoder.js';

/** One byte a sample, by `encodeMulaw` or `encodeAlaw`. */
export class G711Encoder implements Encoder {
  readonly #encode: (pcm: Int16Array, wire: Uint8Array) => void;
  #pcm = new Int16Array(0);
  #wire = new Uint8Array(0);

  constructor(encode: (pcm: Int16Array, wire: Uint8Array) => void) {
    this.#encode = encode;
  }

  push(samples: Float32Array, emit: Emit<Uint8Array>): void {
    const { length } = samples;
    if (length === 0) return;
    if (this.#pcm.length < length) {
      this.#pcm = new Int16Array(length * 2);
      this.#wire = new Uint8Array(length * 2);
    }
    toInt16(samples, this.#pcm);
    this.#encode(this.#pcm.subarray(0, length), this.#wire);
    emit(this.#wire.subarray(0, length));
  }

  flush(): void {
    // Every sample is already out.
  }
}
