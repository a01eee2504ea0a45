import { CALLER_SAMPLE_RATE, toFloat32, toInt16 } from '../../../media/audio/pcm.js';
import { Resampler } from '../../../media/audio/resampler.js';
import type { Emit } from '../../../media/audio/stage.js';
import { FRAME_MS } from '../../timing/frame-ticker.js';

/** Hz that a call hears. */
/** A frame whose time lies so far from where it should be is where it says. */
const TOLERANCE_MS = 10;
/** What is missing is made up with silence up to here; a larger jump is a clock that was set. */
const MAX_GAP_MS = 4_000;
/** A lost frame sounds like the one before it for so long, ever softer. */
const REPEATED_MS = 60;

/** The caller's leg: what was lost on the way is concealed, and all becomes 16 kHz by one resampler. */
export class InboundConcealment {
  readonly #rate: number;
  readonly #resampler: Resampler;
  #floats = new Float32Array(0);
  #pcm = new Int16Array(0);
  #last = new Float32Array(0);
  #nextMs: number | undefined;
  #concealedMs = 0;

  /** @throws MediaError INVALID_INPUT for a rate (Hz) that nothing can convert. */
  constructor(wireRate: number) {
    this.#rate = wireRate;
    this.#resampler = new Resampler(wireRate, CALLER_SAMPLE_RATE);
  }

  /** What is emitted came so much earlier, ms. */
  get delayMs(): number {
    return this.#resampler.delayMs;
  }

  /** What was missing and was made up, ms. */
  get concealedMs(): number {
    return this.#concealedMs;
  }

  /**
   * Takes a frame, at the time that the carrier gives it, and emits what of it can be said already.
   * One that comes too late is dropped: its place has been filled.
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
