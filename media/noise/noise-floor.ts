import { CALLER_SAMPLE_RATE } from '../audio/pcm.js';

/** 20 ms. */
const FRAME = 320;
/** The floor is the least level of this many parts of `PART_FRAMES`: 3 s, in which any talker takes breath. */
const PARTS = 10;
const PART_FRAMES = 15;
/** By how much the least of so many levels lies below their mean, for steady noise. */
const BIAS_DB = 1;
/** A line without any sound is muted, which tells nothing of the room. */
const MUTED = 1e-12;

/**
 * How loud the background of a line is, whether or not somebody talks over it: the least level of the
 * last 3 s. Source: R. Martin, Noise power spectral density estimation based on optimal smoothing and
 * minimum statistics, 2001; here over the whole band and without the smoothing, as talk dips briefly.
 */
export class NoiseFloor {
  readonly #parts: number[] = [];
  #energy = 0;
  #count = 0;
  #least = Number.POSITIVE_INFINITY;
  #frames = 0;

  /** The level of the background, dB of full scale (RMS); undefined in the first 0.3 s. */
  get levelDb(): number | undefined {
    const least = Math.min(...this.#parts);
    return this.#parts.length === 0 ? undefined : 10 * Math.log10(least) + BIAS_DB;
  }

  /** Seconds of sound that the level rests on, at most 3. */
  get seconds(): number {
    return (this.#parts.length * PART_FRAMES * FRAME) / CALLER_SAMPLE_RATE;
  }

  /** @param samples mono at 16 kHz, −1…1. */
  push(samples: Float32Array): void {
    for (let i = 0; i < samples.length; i++) {
      this.#energy += samples[i]! * samples[i]!;
      if (++this.#count === FRAME) this.#endFrame();
    }
  }

  #endFrame(): void {
    const power = this.#energy / FRAME;
    this.#energy = 0;
    this.#count = 0;
    if (power < MUTED) return;
    this.#least = Math.min(this.#least, power);
    if (++this.#frames < PART_FRAMES) return;
    this.#parts.push(this.#least);
    if (this.#parts.length > PARTS) this.#parts.shift();
    this.#frames = 0;
    this.#least = Number.POSITIVE_INFINITY;
  }
}
