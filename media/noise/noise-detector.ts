import { CALLER_SAMPLE_RATE } from '../audio/pcm.js';

/** 20 ms. */
const FRAME_LENGTH = 320;
/** A block of frames gives one minimum: 0.3 s. */
const FRAMES_PER_BLOCK = 15;
/** Blocks in the measuring window: 3 s, in which every talker pauses for breath. */
const MAX_BLOCKS = 10;
/** Difference between the mean and the minimum of that many levels of steady noise. */
const BIAS_DB = 1;
/** Frames of lower power are digital silence of a muted line and do not show the room's noise. */
const MUTED_POWER = 1e-12;

/**
 * Level at which noise reduction starts, dB of full scale; speech is about 20 dB louder. Source: our own
 * measurements: at a signal-to-noise ratio of 20 dB and more, the recogniser makes no fewer errors
 * without the noise.
 */
const ON_DB = -46;
/** Level at which noise reduction stops. The gap to `ON_DB` is the hysteresis. */
const OFF_DB = -52;
/** Measuring time before a line can count as noisy. */
const MIN_SECONDS = 0.9;

/**
 * Level of the background noise of a line, during speech too: the minimum of the last 3 s. Source:
 * R. Martin, Noise power spectral density estimation based on optimal smoothing and minimum statistics,
 * 2001; here over the whole band and without the smoothing, because speech has short gaps.
 */
export class NoiseFloor {
  readonly #minima: number[] = [];
  #energy = 0;
  #count = 0;
  #minimum = Number.POSITIVE_INFINITY;
  #frames = 0;

  /** RMS level of the background, dB of full scale; undefined in the first 0.3 s. */
  get levelDb(): number | undefined {
    const minimum = Math.min(...this.#minima);
    return this.#minima.length === 0 ? undefined : 10 * Math.log10(minimum) + BIAS_DB;
  }

  /** Measured duration in seconds, at most 3. */
  get seconds(): number {
    return (this.#minima.length * FRAMES_PER_BLOCK * FRAME_LENGTH) / CALLER_SAMPLE_RATE;
  }

  /** @param samples - mono at 16 kHz, −1…1 */
  push(samples: Float32Array): void {
    for (let i = 0; i < samples.length; i++) {
      this.#energy += samples[i]! * samples[i]!;
      if (++this.#count === FRAME_LENGTH) this.#endFrame();
    }
  }

  #endFrame(): void {
    const power = this.#energy / FRAME_LENGTH;
    this.#energy = 0;
    this.#count = 0;
    if (power < MUTED_POWER) return;
    this.#minimum = Math.min(this.#minimum, power);
    if (++this.#frames < FRAMES_PER_BLOCK) return;
    this.#minima.push(this.#minimum);
    if (this.#minima.length > MAX_BLOCKS) this.#minima.shift();
    this.#frames = 0;
    this.#minimum = Number.POSITIVE_INFINITY;
  }
}

/** Decides with hysteresis whether a line is noisy, from its measured noise floor. */
export class NoiseDetector {
  readonly #floor = new NoiseFloor();
  #isNoisy = false;

  get isNoisy(): boolean {
    return this.#isNoisy;
  }

  /**
   * @param samples - mono at 16 kHz, −1…1
   * @returns whether the line is noisy now
   */
  push(samples: Float32Array): boolean {
    this.#floor.push(samples);
    const { levelDb, seconds } = this.#floor;
    if (levelDb !== undefined && seconds >= MIN_SECONDS) {
      this.#isNoisy = levelDb >= (this.#isNoisy ? OFF_DB : ON_DB);
    }
    return this.#isNoisy;
  }
}
