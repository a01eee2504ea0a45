import { NoiseFloor } from './noise-floor.js';

/**
 * A background this loud is worth reducing, dB of full scale; a talker is some 20 dB louder. Source:
 * our own measurements: at 20 dB and more the recogniser makes no fewer errors without the noise.
 */
const ON_DB = -46;
/** … and goes on being reduced until it is this quiet, so that a level in between switches nothing. */
const OFF_DB = -52;
/** A room is listened to for so long before it counts as noisy. */
const MIN_SECONDS = 0.9;

/** Whether a line is noisy, by its measured background, with hysteresis. */
export class NoiseDetector {
  readonly #floor = new NoiseFloor();
  #isNoisy = false;

  get isNoisy(): boolean {
    return this.#isNoisy;
  }

  /** Takes mono samples at 16 kHz and tells whether the line is noisy now. */
  push(samples: Float32Array): boolean {
    this.#floor.push(samples);
    const { levelDb, seconds } = this.#floor;
    if (levelDb !== undefined && seconds >= MIN_SECONDS) {
      this.#isNoisy = levelDb >= (this.#isNoisy ? OFF_DB : ON_DB);
    }
    return this.#isNoisy;
  }
}
