import { toInt16 } from '../audio/pcm.js';
import type { Emit } from '../audio/stage.js';
import type { Encoder } from './encoder.js';

/** The encoder of the formats `pcm…`: signed 16-bit samples, little-endian on every machine. */
export class Pcm16Encoder implements Encoder {
  #pcm = new Int16Array(0);

  push(samples: Float32Array, emit: Emit<Uint8Array>): void {
    if (samples.length === 0) return;
    if (this.#pcm.length < samples.length) this.#pcm = new Int16Array(samples.length * 2);
    toInt16(samples, this.#pcm);
    const { buffer } = this.#pcm;
    if (IS_BIG_ENDIAN) Buffer.from(buffer, 0, samples.length * 2).swap16();
    emit(new Uint8Array(buffer, 0, samples.length * 2));
  }

  flush(): void {
    // `push` emits every sample at once.
  }
}

const IS_BIG_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 0;
