import { CALLER_SAMPLE_RATE } from '../audio/pcm.js';

/** 20 ms. */
const FRAME_LENGTH = 320;
/** Frames of a block, which gives one minimum: 0.3 s. */
const FRAMES_PER_BLOCK = 15;
/** Blocks of the measuring window: 3 s. Within this time every speaker pauses. */
const MAX_BLOCKS = 10;
/** Difference in dB between the mean and the minimum of the frame levels of steady noise. */
const BIAS_DB = 1;
/** Mean square of a frame, full scale 1. Quieter frames are the digital silence of a muted caller and are ignored. */
const MUTED_POWER = 1e-12;

/**
 * Level in dBFS at which noise reduction starts; speech is about 20 dB louder. Source: our measurements. At
 * a signal-to-noise ratio of 20 dB or more, noise reduction does not reduce the errors of the recogniser.
 */
const ON_DB = -46;
/** Level in dBFS at which noise reduction stops. The difference to `ON_DB` is the hysteresis. */
const OFF_DB = -52;
/** Measuring time in seconds before audio can count as noisy. */
const MIN_SECONDS = 0.9;

/**
 * Measures the level of the background noise, also during speech: the minimum of the last 3 s. Source:
 * R. Martin, Noise power spectral density estimation based on optimal smoothing and minimum statistics,
 * 2001; here over the whole band, and without smoothing because speech has short gaps.
 */
export class NoiseFloor {
  readonly #minima: number[] = [];
  #energy = 0;
  #count = 0;
  #minimum = Number.POSITIVE_INFINITY;
  #frames = 0;

  /** RMS level of the background noise in dBFS; undefined in the first 0.3 s. */
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

/** Decides with hysteresis whether a caller's audio is noisy, from its measured noise floor. */
export class NoiseDetector {
  readonly #floor = new NoiseFloor();
  #isNoisy = false;

  get isNoisy(): boolean {
    return this.#isNoisy;
  }

  /**
   * @param samples - mono at 16 kHz, −1…1
   * @returns whether the audio is noisy now
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
