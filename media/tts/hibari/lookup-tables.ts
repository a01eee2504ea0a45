/** Maximum and minimum logarithm of a magnitude, as in the reference implementation. */
const LOG_MAX = 7;
const LOG_MIN = -25;
const LOG_STEPS = 256;
const TURN_STEPS = 4096;
/** Above this value, tanh is 1 to float32 precision. */
const WARP_MAX = 8;
const WARP_STEPS = 1024;

/**
 * Tables, for linear interpolation, of the functions that convert the model's outputs to spectra. The error of e^x
 * is 2e-6 of its value, that of the others 2e-6 of full scale (−114 dB).
 */
export interface LookupTables {
  /** e^x at x = (i / 256) − 25, up to 7. */
  readonly exponential: Float32Array;
  /** Pairs cos, sin of the angle 2π · i / 4096. */
  readonly circle: Float32Array;
  /** Pairs cos, sin of π·tanh(x) at x = i / 1024 − 8, up to 8. */
  readonly warp: Float32Array;
}

/** Ranges and resolutions of the tables. */
export const LOOKUP_SCALES = { LOG_MIN, LOG_MAX, LOG_STEPS, TURN_STEPS, WARP_MAX, WARP_STEPS };

/** Computes the tables, which takes 2 ms. Each has one more entry, for the interpolation of the last value. */
export function makeLookupTables(): LookupTables {
  const exponential = new Float32Array((LOG_MAX - LOG_MIN) * LOG_STEPS + 2);
  for (let i = 0; i < exponential.length; i++) {
    exponential[i] = Math.exp(i / LOG_STEPS + LOG_MIN);
  }
  const circle = new Float32Array(2 * (TURN_STEPS + 2));
  for (let i = 0; i < TURN_STEPS + 2; i++) {
    const angle = (2 * Math.PI * i) / TURN_STEPS;
    circle[2 * i] = Math.cos(angle);
    circle[2 * i + 1] = Math.sin(angle);
  }
  const warp = new Float32Array(2 * (2 * WARP_MAX * WARP_STEPS + 2));
  for (let i = 0; i < warp.length / 2; i++) {
    const angle = Math.PI * Math.tanh(i / WARP_STEPS - WARP_MAX);
    warp[2 * i] = Math.cos(angle);
    warp[2 * i + 1] = Math.sin(angle);
  }
  return { exponential, circle, warp };
}
