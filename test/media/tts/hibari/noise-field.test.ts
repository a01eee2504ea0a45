import { describe, expect, it } from 'vitest';
import { scramble } from '../../../../media/audio/seeded-random.js';
import {
  BIN_STEP,
  makeQuantiles,
  NoiseField,
  QUANTILE_BITS,
} from '../../../../media/tts/hibari/noise-field.js';

const quantiles = makeQuantiles();

/** The noise as used by the synthesis: real and imaginary parts of each bin. */
function draw(topP: number, seed: number): Float64Array {
  const noise = new NoiseField(quantiles, { temperature: 1, topP, seed });
  const { low, span, scale } = noise;
  const values: number[] = [];
  for (let frame = 0; frame < 100; frame++) {
    for (let bin = 0; bin < 601; bin++) {
      const bits = scramble((noise.frameKey(frame) + Math.imul(bin, BIN_STEP)) | 0);
      values.push(scale * quantiles[low + (((bits & 0x7fff) * span) >>> QUANTILE_BITS)]!);
      values.push(scale * quantiles[low + (((bits >>> 17) * span) >>> QUANTILE_BITS)]!);
    }
  }
  return Float64Array.from(values);
}

function moment(values: Float64Array, power: number): number {
  return values.reduce((sum, value) => sum + value ** power, 0) / values.length;
}

function correlation(values: Float64Array, lag: number): number {
  let sum = 0;
  for (let i = lag; i < values.length; i++) sum += values[i]! * values[i - lag]!;
  return sum / (values.length - lag);
}

describe('noise of a hibari voice', () => {
  it('is normal with variance 1 at the default top_p', () => {
    const values = draw(0.8, 5);
    expect(moment(values, 1)).toBeCloseTo(0, 1);
    expect(Math.abs(moment(values, 2) - 1)).toBeLessThan(0.02);
    expect(Math.abs(moment(values, 4) - 3)).toBeLessThan(0.15);
  });

  it('is independent between parts, bins and frames', () => {
    const values = draw(0.8, 9);
    for (const lag of [1, 2, 3, 4, 1202, 1203, 2404]) {
      expect(Math.abs(correlation(values, lag))).toBeLessThan(0.015);
    }
  });

  it('is limited and keeps its variance below the default top_p', () => {
    const own = draw(0.8, 3);
    const cut = draw(0.4, 3);
    expect(Math.max(...own)).toBeGreaterThan(3.5);
    expect(Math.max(...cut)).toBeLessThan(2);
    expect(Math.abs(moment(cut, 2) - 1)).toBeLessThan(0.02);
  });

  it('is the same for top_p above the default', () => {
    expect(draw(1, 4)).toEqual(draw(0.8, 4));
  });

  it.each([0, -1, 2 ** 31, 2 ** 32 + 5, 0.5])('accepts the seed %d', (seed) => {
    const values = draw(0.8, seed);
    expect(Math.abs(moment(values, 2) - 1)).toBeLessThan(0.02);
  });
});
