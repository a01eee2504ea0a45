import fc from 'fast-check';
import { expect, it } from 'vitest';
import { filterBank } from '../../../media/audio/filter-bank.js';
import { plainKernel, vectorKernel } from '../../../media/audio/fir-kernel.js';
import '../../support/harness/process/property-seed.js';

const PAIRS = [
  [8_000, 16_000],
  [16_000, 8_000],
  [24_000, 16_000],
  [22_050, 16_000],
  [48_000, 44_100],
] as const;

it('vector instructions give the same result as scalar code for any ratio, phase and length', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...PAIRS),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.integer({ min: 0, max: 3_000 }),
      fc.float32Array({ minLength: 64, maxLength: 64, min: -1, max: 1, noNaN: true }),
      ([from, to], place, count, seed) => {
        const bank = filterBank(from, to);
        const phase = Math.floor(place * bank.interpolation);
        const steps = Math.floor((phase + count * bank.decimation) / bank.interpolation);
        const length = steps + 2 * bank.halfWidth;
        const input = Float32Array.from({ length }, (_, i) => seed[(i * 7) % seed.length]!);
        const [plain, vector] = [plainKernel(bank), vectorKernel(bank)].map((kernel) => {
          const output = new Float32Array(count);
          // Previous content of the output must have no effect.
          kernel?.({
            input: new Float32Array(9_000).fill(Number.NaN),
            phase: 0,
            count: 9,
            output: new Float32Array(9),
          });
          kernel?.({ input, phase, count, output });
          return output;
        });
        expect(vectorKernel(bank)).toBeDefined();
        const furthest = plain!.reduce(
          (most, sample, i) => Math.max(most, Math.abs(sample - vector![i]!)),
          0,
        );
        expect(furthest).toBeLessThan(1e-5);
        expect(vector!.every(Number.isFinite)).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});
