import { CURVE_SCALES, type Curves } from './curves.js';
import { BIN_STEP, type NoiseField, QUANTILE_BITS } from './noise.js';
import { BINS } from './signal.js';

const { LOG_MIN, LOG_MAX, LOG_STEPS, TURN_STEPS, WARP_MAX, WARP_STEPS } = CURVE_SCALES;
const TURNS = TURN_STEPS / (2 * Math.PI);

/** What the model says about an utterance: `[601, frames]` each, but for the pitch with a value a frame. */
export interface ModelFrames {
  readonly frames: number;
  /** Logarithm of the harmonics' magnitude, and the bend of their phase. */
  readonly logHarmonic: Float32Array;
  readonly theta: Float32Array;
  /** Logarithm of the noise's magnitude. */
  readonly logNoise: Float32Array;
  /** Logarithm and angle of what is neither. */
  readonly logRest: Float32Array;
  readonly phi: Float32Array;
  /** Hz; not above 40 where there is no voice. */
  readonly pitch: Float32Array;
}

/** Most frames whose filters are made at a time. */
export const FILTER_FRAMES = 20;

/** For up to 20 frames, frame by frame: what the excitation is multiplied with, and what is added. */
export class FrameFilters {
  readonly gainRe = new Float32Array(FILTER_FRAMES * BINS);
  readonly gainIm = new Float32Array(FILTER_FRAMES * BINS);
  readonly sumRe = new Float32Array(FILTER_FRAMES * BINS);
  readonly sumIm = new Float32Array(FILTER_FRAMES * BINS);
  readonly #curves: Curves;
  readonly #keys = new Int32Array(FILTER_FRAMES);

  constructor(curves: Curves) {
    this.#curves = curves;
  }

  /** The harmonics' filter e^lh · e^(iπ·tanh θ) of `count` frames from `from`. */
  makeGains(model: ModelFrames, from: number, count: number): void {
    const { exponential, warp } = this.#curves;
    const { logHarmonic, theta, frames } = model;
    const { gainRe, gainIm } = this;
    for (let bin = 0; bin < BINS; bin++) {
      let read = bin * frames + from;
      for (let write = bin; write < count * BINS; write += BINS, read++) {
        const magnitude = exponentialAt(exponential, logHarmonic[read]!);
        let x = (theta[read]! + WARP_MAX) * WARP_STEPS;
        if (!(x > 0)) x = 0;
        else if (x > 2 * WARP_MAX * WARP_STEPS) x = 2 * WARP_MAX * WARP_STEPS;
        const whole = x | 0;
        const part = x - whole;
        const at = 2 * whole;
        const cos = warp[at]!;
        const sin = warp[at + 1]!;
        gainRe[write] = magnitude * (cos + part * (warp[at + 2]! - cos));
        gainIm[write] = magnitude * (sin + part * (warp[at + 3]! - sin));
      }
    }
  }

  /** The noise e^ln · Z and the rest e^lr · e^(iφ) of `count` frames from `from`. */
  makeSums(model: ModelFrames, noise: NoiseField, from: number, count: number): void {
    const { exponential, circle } = this.#curves;
    const { logNoise, logRest, phi, frames } = model;
    const { sumRe, sumIm } = this;
    const { quantiles, low, span, scale } = noise;
    const keys = this.#keys;
    for (let i = 0; i < count; i++) keys[i] = noise.frameKey(from + i);
    for (let bin = 0; bin < BINS; bin++) {
      const offset = Math.imul(bin, BIN_STEP);
      let read = bin * frames + from;
      for (let i = 0, write = bin; i < count; i++, write += BINS, read++) {
        const rest = exponentialAt(exponential, logRest[read]!);
        let x = phi[read]! * TURNS;
        const floor = Math.floor(x);
        x -= floor;
        const at = 2 * (floor & (TURN_STEPS - 1));
        const cos = circle[at]!;
        const sin = circle[at + 1]!;
        // `scramble`, written out: it is called for every bin of every frame.
        let bits = (keys[i]! + offset) | 0;
        bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
        bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
        bits ^= bits >>> 16;
        const first = low + (((bits & 0x7fff) * span) >>> QUANTILE_BITS);
        const second = low + (((bits >>> 17) * span) >>> QUANTILE_BITS);
        const loud = scale * exponentialAt(exponential, logNoise[read]!);
        sumRe[write] = rest * (cos + x * (circle[at + 2]! - cos)) + loud * quantiles[first]!;
        sumIm[write] = rest * (sin + x * (circle[at + 3]! - sin)) + loud * quantiles[second]!;
      }
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
