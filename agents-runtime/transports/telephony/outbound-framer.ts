import { toInt16 } from '../../../media/audio/pcm.js';
import { Resampler } from '../../../media/audio/resampler.js';
import type { Emit } from '../../../media/audio/stage.js';
import { FRAME_MS } from '../../timing/frame-ticker.js';

/** Resamples the agent's audio to the carrier's rate and cuts it into frames of 20 ms. */
export class OutboundFramer {
  readonly frameLength: number;
  readonly #rate: number;
  readonly #resampler: Resampler;
  readonly #inputRate: number;
  #pcm = new Int16Array(0);
  #filled = 0;
  /** Audio in and out since the last flush. */
  #inputMs = 0;
  #outputMs = 0;

  /** @throws MediaError INVALID_INPUT for rates (Hz) that the resampler does not support */
  constructor(inputRate: number, carrierRate: number) {
    this.#inputRate = inputRate;
    this.#rate = carrierRate;
    this.#resampler = new Resampler(inputRate, carrierRate);
    this.frameLength = (carrierRate * FRAME_MS) / 1000;
  }

  /** Audio that was pushed and not emitted, ms. */
  get heldMs(): number {
    return Math.max(0, this.#inputMs - this.#outputMs);
  }

  /** Emits all whole frames in one array, which is valid inside `emit`. */
  push(samples: Float32Array, emit: Emit<Int16Array>): void {
    this.#inputMs += (samples.length * 1000) / this.#inputRate;
    this.#resampler.push(samples, (part) => this.#append(part));
    this.#emit(emit);
  }

  /** Emits the rest, padded with silence to a whole frame. */
  flush(emit: Emit<Int16Array>): void {
    this.#resampler.flush((part) => this.#append(part));
    const rest = this.#filled % this.frameLength;
    if (rest > 0) this.#append(new Float32Array(this.frameLength - rest));
    this.#emit(emit);
    this.#inputMs = 0;
    this.#outputMs = 0;
  }

  /** Drops the audio that was not emitted. */
  clear(): void {
    this.#filled = 0;
    this.flush(() => undefined);
  }

  #append(part: Float32Array): void {
    const needed = this.#filled + part.length;
    if (needed > this.#pcm.length) {
      const larger = new Int16Array(needed * 2);
      larger.set(this.#pcm.subarray(0, this.#filled));
      this.#pcm = larger;
    }
    toInt16(part, this.#pcm.subarray(this.#filled));
    this.#filled = needed;
  }

  #emit(emit: Emit<Int16Array>): void {
    const whole = this.#filled - (this.#filled % this.frameLength);
    if (whole === 0) return;
    this.#outputMs += (whole * 1000) / this.#rate;
    emit(this.#pcm.subarray(0, whole));
    this.#pcm.copyWithin(0, whole, this.#filled);
    this.#filled -= whole;
  }
}
