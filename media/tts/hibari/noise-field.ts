import { energyOf } from '../../audio/pcm.js';
import { scramble } from '../../audio/seeded-random.js';

const LEVEL_BITS = 15;
const LEVELS = 1 << LEVEL_BITS;
/** The `topP` with which the noise is as in training. */
const OWN_TOP_P = 0.8;
/** Minimum share of the distribution. With less, the noise would have almost two values only. */
const MIN_MASS = 0.05;

/** Settings of an utterance's noise. */
export interface NoiseShape {
  /** Factor of the noise, 0–2. 1: as in training; 0: no noise. */
  readonly temperature: number;
  /**
   * Share of the noise's distribution, 0–1. From 0.8 on, all values are used, as in training. Below 0.8, only the
   * central share `topP / 0.8` (at least 0.05) is used and scaled to unit variance: the loudness does not change,
   * and rare large values are removed.
   */
  readonly topP: number;
  /** An integer, modulo 2³². Equal seeds give equal noise. */
  readonly seed: number;
}

/** Returns quantiles of the normal distribution in equal steps of probability, scaled to variance 1. */
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
 * Stateless normal noise. A value is a function of seed, frame and bin, so it does not depend on the chunks in which
 * a stream is computed.
 */
export class NoiseField {
  readonly quantiles: Float32Array;
  /** Index of the first used quantile, number of used quantiles, and their factor. */
  readonly low: number;
  readonly span: number;
  readonly scale: number;
  readonly #seed: number;

  /** @param quantiles - result of `makeQuantiles`, shared by all utterances of a thread */
  constructor(quantiles: Float32Array, shape: NoiseShape) {
    const mass = Math.min(1, Math.max(MIN_MASS, shape.topP / OWN_TOP_P));
    this.quantiles = quantiles;
    this.low = Math.round((LEVELS * (1 - mass)) / 2);
    this.span = LEVELS - 2 * this.low;
    this.scale = shape.temperature / deviationOf(quantiles, this.low, this.span);
    this.#seed = scramble(shape.seed | 0);
  }

  /** Returns the key of a frame: `scramble(key + bin · 0x9e3779b9)` is 32 random bits for each bin. */
  frameKey(frame: number): number {
    return scramble(this.#seed ^ Math.imul(frame + 1, 0x85ebca6b));
  }
}

/** Step of the hash from bin to bin: the golden ratio in 32 bits. */
export const BIN_STEP = 0x9e3779b9 | 0;
/** Number of random bits that select a quantile: its index is `low + ((bits · span) >>> 15)`. */
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
