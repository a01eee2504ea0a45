import { BINS } from './constants.js';
import { LOOKUP_SCALES, type LookupTables } from './lookup-tables.js';
import { BIN_STEP, type NoiseField, QUANTILE_BITS } from './noise-field.js';

const { LOG_MIN, LOG_MAX, LOG_STEPS, TURN_STEPS, WARP_MAX, WARP_STEPS } = LOOKUP_SCALES;
const TURNS = TURN_STEPS / (2 * Math.PI);

/** Offsets of the five parts of a frame. Each has one value per bin. */
const LOG_HARMONIC = 0;
const THETA = BINS;
const LOG_NOISE = 2 * BINS;
const LOG_REST = 3 * BINS;
const PHI = 4 * BINS;
/**
 * The model's output for a frame: logarithm of the harmonics' magnitude, change of their phase, logarithm of the
 * noise's magnitude, logarithm and angle of the residual.
 */
export const FRAME_VALUES = 5 * BINS;

/** The factor for the source of one frame, and the values that are added to it, for each bin. */
export class FrameFilter {
  readonly gainRe = new Float64Array(BINS);
  readonly gainIm = new Float64Array(BINS);
  readonly sumRe = new Float64Array(BINS);
  readonly sumIm = new Float64Array(BINS);
  readonly #tables: LookupTables;

  constructor(tables: LookupTables) {
    this.#tables = tables;
  }

  /** The harmonics' filter e^lh · e^(iπ·tanh θ) of the frame at `at`. */
  makeGain(spectra: Float32Array, at: number): void {
    const { exponential, warp } = this.#tables;
    const { gainRe, gainIm } = this;
    for (let bin = 0; bin < BINS; bin++) {
      const magnitude = exponentialAt(exponential, spectra[at + LOG_HARMONIC + bin]!);
      let x = (spectra[at + THETA + bin]! + WARP_MAX) * WARP_STEPS;
      if (!(x > 0)) x = 0;
      else if (x > 2 * WARP_MAX * WARP_STEPS) x = 2 * WARP_MAX * WARP_STEPS;
      const whole = x | 0;
      const part = x - whole;
      const cos = warp[2 * whole]!;
      const sin = warp[2 * whole + 1]!;
      gainRe[bin] = magnitude * (cos + part * (warp[2 * whole + 2]! - cos));
      gainIm[bin] = magnitude * (sin + part * (warp[2 * whole + 3]! - sin));
    }
  }

  /**
   * The noise e^ln · Z and the residual e^lr · e^(iφ) of the frame at `at`.
   *
   * @param frame - number of the frame in the utterance, which selects its noise
   */
  makeSum(spectra: Float32Array, at: number, noise: NoiseField, frame: number): void {
    const { exponential, circle } = this.#tables;
    const { sumRe, sumIm } = this;
    const { quantiles, low, span, scale } = noise;
    const key = noise.frameKey(frame);
    for (let bin = 0; bin < BINS; bin++) {
      const rest = exponentialAt(exponential, spectra[at + LOG_REST + bin]!);
      let x = spectra[at + PHI + bin]! * TURNS;
      const floor = Math.floor(x);
      x -= floor;
      const turn = 2 * (floor & (TURN_STEPS - 1));
      const cos = circle[turn]!;
      const sin = circle[turn + 1]!;
      // `scramble`, inlined: it runs for every bin of every frame.
      let bits = (key + Math.imul(bin, BIN_STEP)) | 0;
      bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
      bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
      bits ^= bits >>> 16;
      const first = low + (((bits & 0x7fff) * span) >>> QUANTILE_BITS);
      const second = low + (((bits >>> 17) * span) >>> QUANTILE_BITS);
      const loud = scale * exponentialAt(exponential, spectra[at + LOG_NOISE + bin]!);
      sumRe[bin] = rest * (cos + x * (circle[turn + 2]! - cos)) + loud * quantiles[first]!;
      sumIm[bin] = rest * (sin + x * (circle[turn + 3]! - sin)) + loud * quantiles[second]!;
    }
  }
}

function exponentialAt(table: Float32Array, log: number): number {
  let x = (log - LOG_MIN) * LOG_STEPS;
  if (!(x > 0)) return 0;
  if (x > (LOG_MAX - LOG_MIN) * LOG_STEPS) x = (LOG_MAX - LOG_MIN) * LOG_STEPS;
  const whole = x | 0;
  const low = table[whole]!;
  return low + (x - whole) * (table[whole + 1]! - low);
}
