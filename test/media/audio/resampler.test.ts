import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Resampler } from '../../../media/audio/resampler.js';
import { MediaError } from '../../../media/errors.js';
import { cut, runSamples } from '../../support/harness/audio/run-stage.js';
import { levelOf, likenessDb, tone } from '../../support/harness/audio/tones.js';
import '../../support/harness/process/property-seed.js';

const RATES = [8000, 11025, 16000, 22050, 24000, 32000, 44100, 48000];
const PAIRS = RATES.flatMap((from) => RATES.filter((to) => to !== from).map((to) => [from, to]));

/** The samples without the ends, where the tone starts and stops abruptly. */
function inner(samples: Float32Array): Float32Array {
  const edge = Math.floor(samples.length / 8);
  return samples.subarray(edge, samples.length - edge);
}

describe('Resampler', () => {
  it.each(PAIRS)('keeps position and level of tones in the pass band, %i to %i Hz', (from, to) => {
    const nyquist = Math.min(from!, to!) / 2;
    for (const part of [0.01, 0.3, 0.6, 0.87]) {
      const found = runSamples(new Resampler(from!, to!), [tone(part * nyquist, from!, from! / 4)]);
      const wanted = tone(part * nyquist, to!, found.length);
      expect(likenessDb(inner(wanted), inner(found))).toBeGreaterThan(60);
    }
  });

  it.each(PAIRS.filter(([from, to]) => from! > to!))(
    'suppresses aliases above the new Nyquist frequency, %i to %i Hz',
    (from, to) => {
      for (const part of [1.001, 1.2, 1.9]) {
        const frequency = (part * to!) / 2;
        if (frequency > from! / 2) continue;
        const found = runSamples(new Resampler(from!, to!), [tone(frequency, from!, from! / 4)]);
        expect(20 * Math.log10(levelOf(inner(found)) / (0.5 * Math.SQRT1_2))).toBeLessThan(-60);
      }
    },
  );

  it('produces round(n × out ÷ in) samples for n samples, however few', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PAIRS),
        fc.integer({ min: 0, max: 3000 }),
        ([from, to], length) => {
          const found = runSamples(new Resampler(from!, to!), [tone(300, from!, length)]);
          return found.length === Math.round((length * to!) / from!);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('gives the same samples in any chunking', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PAIRS),
        fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 4000 }),
        ([from, to], lengths, length) => {
          const samples = tone(440, from!, length);
          const whole = runSamples(new Resampler(from!, to!), [samples]);
          const inChunks = runSamples(new Resampler(from!, to!), cut(samples, lengths));
          expect(inChunks).toEqual(whole);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('passes a constant without ripple', () => {
    const found = inner(
      runSamples(new Resampler(22050, 32000), [new Float32Array(8000).fill(0.5)]),
    );
    for (const sample of found) expect(Math.abs(sample - 0.5)).toBeLessThan(1e-6);
  });

  it('is reusable after a flush', () => {
    const stage = new Resampler(24000, 32000);
    const first = runSamples(stage, [tone(500, 24000, 1001)]);
    expect(runSamples(stage, [tone(500, 24000, 1001)])).toEqual(first);
  });

  it('has a latency of at most its delay, a few milliseconds for calls', () => {
    for (const [from, to, maxMs] of [
      [48000, 16000, 3],
      [44100, 16000, 3],
      [24000, 16000, 3],
      [8000, 16000, 5.1],
      [24000, 48000, 2],
      [24000, 8000, 5.1],
    ] as const) {
      const stage = new Resampler(from, to);
      expect(stage.delayMs).toBeLessThan(maxMs);
      let made = 0;
      for (let ms = 0; ms < 200; ms += 20) {
        stage.push(new Float32Array(from / 50), (chunk) => {
          made += chunk.length;
        });
      }
      expect(200 - (made * 1000) / to).toBeLessThan(stage.delayMs + 1000 / to + 0.1);
    }
  });

  it('uses a small fraction of real time', () => {
    const second = tone(440, 24000, 24000);
    const stage = new Resampler(24000, 32000);
    const keep = () => undefined;
    for (let i = 0; i < 5; i++) stage.push(second, keep);
    const started = performance.now();
    for (let i = 0; i < 20; i++) stage.push(second, keep);
    const msPerSecond = (performance.now() - started) / 20;
    // About 3 ms on an idle machine; the limit only detects a regression by an order of magnitude.
    expect(msPerSecond).toBeLessThan(50);
  });

  it.each([
    [0, 8000],
    [-8000, 8000],
    [8000, Number.NaN],
    [44099, 48000],
    [8000.5, 16000],
  ])('rejects the rates %d and %d', (from, to) => {
    expect(() => new Resampler(from, to)).toThrow(MediaError);
  });
});
