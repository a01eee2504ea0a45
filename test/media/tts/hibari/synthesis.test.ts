import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BINS, HOP } from '../../../../media/tts/hibari/constants.js';
import { FRAME_VALUES } from '../../../../media/tts/hibari/frame-filter.js';
import { NoiseField } from '../../../../media/tts/hibari/noise-field.js';
import { HibariSynthesis, SynthesisTools } from '../../../../media/tts/hibari/synthesis.js';
import { decibels } from '../../../support/harness/audio/decibels.js';
import '../../../support/harness/process/property-seed.js';

interface Fixture {
  readonly cases: readonly { frames: number; step: number; samples: readonly number[] }[];
}

const fixture: Fixture = JSON.parse(
  readFileSync(new URL('../../../fixtures/hibari/signal-chain.json', import.meta.url), 'utf8'),
);
const tools = new SynthesisTools();

/**
 * Frames that are voiced at both ends and unvoiced in the middle, by the formulas of the fixture.
 */
function madeUp(frames: number, logNoise: number): { spectra: Float32Array; pitch: Float32Array } {
  const spectra = new Float32Array(frames * FRAME_VALUES);
  for (let t = 0; t < frames; t++) {
    for (let k = 0; k < BINS; k++) {
      const at = t * FRAME_VALUES + k;
      spectra[at] = -1 - k / 200 + Math.sin(k / 17 + t / 3);
      spectra[at + BINS] = 2.5 * Math.sin(k / 40 + t / 5) + k / 300;
      spectra[at + 2 * BINS] = logNoise;
      spectra[at + 3 * BINS] = -6 + 2 * Math.cos(k / 23 - t / 4);
      spectra[at + 4 * BINS] = 9 * Math.sin(k / 7 + t / 2);
    }
  }
  const pitch = Float32Array.from({ length: frames }, (_, t) =>
    t >= 9 && t < 19 ? 0 : 180 + 60 * Math.sin(t / 4),
  );
  return { spectra, pitch };
}

interface Cut {
  readonly frames?: number;
  readonly logNoise?: number;
  readonly seed?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly skip?: number;
  /** Numbers of frame pairs per chunk, repeated cyclically. */
  readonly pairs?: readonly number[];
}

function synthesise(cut: Cut): Float32Array {
  const { frames = 60, logNoise = -5, skip = 0, pairs = [1000] } = cut;
  const { spectra, pitch } = madeUp(frames, logNoise);
  const shape = { temperature: cut.temperature ?? 1, topP: cut.topP ?? 0.8, seed: cut.seed ?? 1 };
  const noise = new NoiseField(tools.quantiles, shape);
  const synthesis = new HibariSynthesis(pitch, noise, tools, skip);
  const samples: number[] = [];
  for (let i = 0; synthesis.framesLeft > 0; i++) {
    const count = Math.min(2 * pairs[i % pairs.length]!, synthesis.framesLeft);
    const from = synthesis.nextFrame * FRAME_VALUES;
    samples.push(...synthesis.add(spectra.subarray(from, from + count * FRAME_VALUES), count));
  }
  return Float32Array.from(samples);
}

describe('synthesis of a hibari voice', () => {
  it.each(fixture.cases)('equals the reference on $frames frames', (expected) => {
    const samples = synthesise({ frames: expected.frames, logNoise: -60 });
    expect(samples.length).toBe(expected.frames * HOP);
    const picked = samples.filter((_, i) => i % expected.step === 0);
    expect(decibels(picked, Float32Array.from(expected.samples))).toBeLessThan(-100);
  });

  it('is the same in any chunking', () => {
    const whole = synthesise({});
    const cuts = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(cuts, (pairs) => {
        expect(decibels(synthesise({ pairs }), whole)).toBeLessThan(-100);
      }),
      { numRuns: 15 },
    );
  });

  it.each([1, 2, 3, 8, 9, 22, 59])('skips exactly %i hops', (skip) => {
    const samples = synthesise({ skip, pairs: [3, 1] });
    expect(decibels(samples, synthesise({}).subarray(skip * HOP))).toBeLessThan(-100);
  });

  it('is reproducible with the same seed only', () => {
    expect(synthesise({ seed: 7 })).toEqual(synthesise({ seed: 7 }));
    expect(decibels(synthesise({ seed: 7 }), synthesise({ seed: 8 }))).toBeGreaterThan(-40);
  });

  it('scales the noise with the temperature and keeps its level at any top_p', () => {
    const noiseOf = (cut: Cut) => {
      const quiet = synthesise({ temperature: 0 });
      return Math.sqrt(synthesise(cut).reduce((sum, v, i) => sum + (v - quiet[i]!) ** 2, 0));
    };
    const own = noiseOf({});
    expect(noiseOf({ temperature: 2 }) / own).toBeCloseTo(2, 5);
    for (const topP of [0, 0.3, 0.6, 1]) expect(noiseOf({ topP }) / own).toBeCloseTo(1, 1);
  });

  it('handles invalid model outputs', () => {
    const spectra = new Float32Array(20 * FRAME_VALUES);
    const odd = [Number.NaN, Infinity, -Infinity, 1e30, -1e30];
    for (let i = 0; i < spectra.length; i++) spectra[i] = odd[i % odd.length]!;
    const noise = new NoiseField(tools.quantiles, { temperature: 1, topP: 0.8, seed: 1 });
    const pitch = new Float32Array(20).fill(Number.NaN);
    expect(new HibariSynthesis(pitch, noise, tools).add(spectra, 20).length).toBe(20 * HOP);
  });
});
