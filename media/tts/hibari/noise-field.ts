import { energyOf } from '../../audio/pcm.js';
import { scramble } from '../../audio/seeded-random.js';

const LEVEL_BITS = 15;
const LEVELS = 1 << LEVEL_BITS;
/** The `top_p` that gives the noise of the training. */
const OWN_TOP_P = 0.8;
/** Below this share of the distribution the noise would be nearly two-valued. */
const MIN_MASS = 0.05;

/** Settings of an utterance's noise. */
export interface NoiseShape {
  /** Factor of the noise; 1: as in training, 0: no noise. */
  readonly temperature: number;
  /**
   * Share of the noise's distribution that is used. From 0.8: all, as in training. Below: the central share
   * `topP / 0.8` (at least 0.05), scaled to unit variance, so the loudness stays and rare large values are removed.
   */
  readonly topP: number;
  /** Makes the noise repeatable; an integer, modulo 2³². */
  readonly seed: number;
}

/** The quantiles of the standard normal distribution in equal steps of probability, of variance 1. */
export function makeQuantiles(): Float32Array {
  const quantiles = new Float32Array(LEVELS);
  for (let i = 0; i < LEVELS / 2; i++) {
    const value = normalQuantile((i + 0.5) / LEVELS);
    quantiles[i] = value;
    quantiles[LEVELS - 1 - i] = -value;
  }
  const scale = 1 / deviationOf(quantiles, 0, LEVELS);
  for (let i = 0; i < LEVELS; i++) quantiles[i]! *= scale;
  return quantiles;
}

/**
 * Stateless normal noise: a value is a function of seed, frame and bin, so it does not depend on the chunks in
 * which a stream is computed.
 */
export class NoiseField {
  readonly quantiles: Float32Array;
  /** First quantile in use, number of quantiles in use, and their factor. */
  readonly low: number;
  readonly span: number;
  readonly scale: number;
  readonly #seed: number;

  /** @param quantiles of `makeQuantiles`, shared by all utterances of a thread. */
  constructor(quantiles: Float32Array, shape: NoiseShape) {
    const mass = Math.min(1, Math.max(MIN_MASS, shape.topP / OWN_TOP_P));
    this.quantiles = quantiles;
    this.low = Math.round((LEVELS * (1 - mass)) / 2);
    this.span = LEVELS - 2 * this.low;
    this.scale = shape.temperature / deviationOf(quantiles, this.low, this.span);
    this.#seed = scramble(shape.seed | 0);
  }

  /** Key of a frame: `scramble(key + bin · 0x9e3779b9)` gives 32 random bits for each bin. */
  frameKey(frame: number): number {
    return scramble(this.#seed ^ Math.imul(frame + 1, 0x85ebca6b));
  }
}

/** Step of the hash from bin to bin: the golden ratio in 32 bits. */
export const BIN_STEP = 0x9e3779b9 | 0;
/** Converts 15 random bits to the index of a quantile: `low + ((bits · span) >>> 15)`. */
export const QUANTILE_BITS = LEVEL_BITS;

function deviationOf(values: Float32Array, from: number, count: number): number {
  return Math.sqrt(energyOf(values.subarray(from, from + count)) / count);
}

/** Source: P. J. Acklam's rational approximation of the normal quantile, for p ≤ ½ (error 1e-9). */
function normalQuantile(p: number): number {
  if (p < 0.02425) {
    const q = Math.sqrt(-2 * Math.log(p));
    return (
      polynomial(
        [
          -7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734,
          4.374664141464968, 2.938163982698783,
        ],
        q,
      ) /
      polynomial(
        [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1],
        q,
      )
    );
  }
  const q = p - 0.5;
  const r = q * q;
  return (
    (q *
      polynomial(
        [
          -3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2,
          -3.066479806614716e1, 2.506628277459239,
        ],
        r,
      )) /
    polynomial(
      [
        -5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1,
        -1.328068155288572e1, 1,
      ],
      r,
    )
  );
}

function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);
}
