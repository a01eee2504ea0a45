import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toFloat32, toInt16 } from '../../../media/audio/pcm.js';
import '../../support/harness/process/property-seed.js';

function asInt16(...samples: number[]): number[] {
  const pcm = new Int16Array(samples.length);
  toInt16(Float32Array.from(samples), pcm);
  return [...pcm];
}

it('samples are rounded to the nearest step, halves upwards, and clipped', () => {
  const steps = (...values: number[]) => asInt16(...values.map((value) => value / 32768));
  expect(steps(0, 0.4, 0.5, 0.6, 1.5, 2.5)).toEqual([0, 0, 1, 1, 2, 3]);
  expect(steps(-0.4, -0.5, -0.6, -1.5, -2.5)).toEqual([0, 0, -1, -1, -2]);
  expect(steps(32766.4, 32766.5, 32767, 32768, 1e9)).toEqual([32766, 32767, 32767, 32767, 32767]);
  expect(steps(-32767.5, -32768, -32769, -1e9)).toEqual([-32767, -32768, -32768, -32768]);
  expect(asInt16(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)).toEqual([
    0, 32767, -32768,
  ]);
  const samples = fc.float32Array({ min: -2, max: 2, noNaN: true });
  fc.assert(
    fc.property(samples, (values) => {
      const wanted = [...values].map((value) =>
        Math.max(-32768, Math.min(32767, Math.round(value * 32768))),
      );
      expect(asInt16(...values)).toEqual(wanted.map((value) => value + 0));
    }),
  );
});

it('every step converts to a sample and back', () => {
  const pcm = Int16Array.from({ length: 65_536 }, (_, i) => i - 32_768);
  const samples = new Float32Array(pcm.length);
  toFloat32(pcm, samples);
  expect(asInt16(...samples.subarray(0, 30_000))).toEqual([...pcm.subarray(0, 30_000)]);
  expect(asInt16(...samples.subarray(30_000))).toEqual([...pcm.subarray(30_000)]);
});
