import { CALLER_SAMPLE_RATE, toFloat32, toInt16 } from '../../../media/audio/pcm.js';
import { Resampler } from '../../../media/audio/resampler.js';
import type { Emit } from '../../../media/audio/stage.js';
import { FRAME_MS } from '../../timing/frame-ticker.js';

/** Deviation of a frame's timestamp above which it counts as lost or late, in milliseconds. */
const TOLERANCE_MS = 10;
/** Longest gap that is concealed. A larger jump means that the carrier's clock was set. */
const MAX_GAP_MS = 4_000;
/** A gap repeats the frame before it, fading to silence within this time. */
const REPEATED_MS = 60;

/** Conceals lost frames of the caller's audio and resamples it to 16 kHz. */
export class InboundConcealment {
  readonly #rate: number;
  readonly #resampler: Resampler;
  #floats = new Float32Array(0);
  #pcm = new Int16Array(0);
  #last = new Float32Array(0);
  #nextMs: number | undefined;
  #concealedMs = 0;

  /** @throws MediaError INVALID_INPUT for a rate (Hz) that the resampler does not support */
  constructor(carrierRate: number) {
    this.#rate = carrierRate;
    this.#resampler = new Resampler(carrierRate, CALLER_SAMPLE_RATE);
  }

  /** Delay of the emitted audio, ms. */
  get delayMs(): number {
    return this.#resampler.delayMs;
  }

  /** Concealed audio so far, ms. */
  get concealedMs(): number {
    return this.#concealedMs;
  }

  /**
   * Resamples a frame. A frame that arrives after its gap was concealed is dropped.
   * @param tsMs - the carrier's timestamp; undefined if the carrier has none
   */
  push(pcm: Int16Array, tsMs: number | undefined, emit: Emit<Int16Array>): void {
    const lengthMs = (pcm.length * 1000) / this.#rate;
    if (tsMs !== undefined) {
      const aheadMs = tsMs - (this.#nextMs ?? tsMs);
      const isJump = Math.abs(aheadMs) > MAX_GAP_MS;
      if (aheadMs < -TOLERANCE_MS && !isJump) return;
      if (aheadMs > TOLERANCE_MS && !isJump) this.#conceal(aheadMs, emit);
      this.#nextMs = tsMs + lengthMs;
    }
    const floats = this.#sized(pcm.length);
    toFloat32(pcm, floats);
    this.#emit(floats, emit);
    if (this.#last.length !== pcm.length) this.#last = new Float32Array(pcm.length);
    this.#last.set(floats);
  }

  #conceal(gapMs: number, emit: Emit<Int16Array>): void {
    this.#concealedMs += gapMs;
    const softened = (REPEATED_MS * this.#rate) / 1000;
    const step = Math.max(1, (this.#rate * FRAME_MS) / 1000);
    const total = Math.round((gapMs * this.#rate) / 1000);
    for (let at = 0; at < total; at += step) {
      const part = this.#sized(Math.min(step, total - at));
      for (let i = 0; i < part.length; i++) {
        const gain = Math.max(0, 1 - (at + i) / softened);
        part[i] = gain * (this.#last[(at + i) % Math.max(1, this.#last.length)] ?? 0);
      }
      this.#emit(part, emit);
    }
  }

  #sized(length: number): Float32Array {
    if (this.#floats.length < length) this.#floats = new Float32Array(length);
    return this.#floats.subarray(0, length);
  }

  #emit(samples: Float32Array, emit: Emit<Int16Array>): void {
    this.#resampler.push(samples, (part) => {
      if (this.#pcm.length < part.length) this.#pcm = new Int16Array(part.length * 2);
      const pcm = this.#pcm.subarray(0, part.length);
      toInt16(part, pcm);
      emit(pcm);
    });
  }
}
