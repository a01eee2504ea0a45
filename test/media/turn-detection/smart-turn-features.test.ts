import { expect, it } from 'vitest';
import {
  FRAMES,
  SmartTurnFeatures,
  WINDOW,
} from '../../../media/turn-detection/smart-turn-features.js';

/** A golden vector of the model's own feature extractor: two tones, one of them for 1.5 s. */
it("the features equal those of the model's own extractor", () => {
  const samples = Float32Array.from(
    { length: 32_000 },
    (_, i) =>
      0.5 * Math.sin((2 * Math.PI * 440 * i) / 16_000) * (i < 24_000 ? 1 : 0) +
      0.1 * Math.sin((2 * Math.PI * 1500 * i) / 16_000),
  );
  const features = new SmartTurnFeatures().extract(samples);
  const at = (mel: number, frame: number) => features[mel * FRAMES + frame]!;
  expect(features.length).toBe(80 * 800);
  expect(Math.min(...features)).toBeCloseTo(-0.1599, 3);
  expect(Math.max(...features)).toBeCloseTo(1.8401, 3);
  expect(features.reduce((sum, value) => sum + value, 0) / features.length).toBeCloseTo(
    -0.11223,
    3,
  );
  expect(at(11, 650)).toBeCloseTo(1.8401, 3);
  expect(at(12, 650)).toBeCloseTo(1.6954, 3);
  expect(at(30, 700)).toBeCloseTo(-0.1021, 3);
  expect(at(31, 700)).toBeCloseTo(-0.0029, 3);
  expect(at(32, 790)).toBeCloseTo(0.1149, 3);
  expect(at(40, 601)).toBeCloseTo(0.4661, 3);
  expect(at(5, 599)).toBeCloseTo(0.7627, 3);
  expect(at(0, 0)).toBeCloseTo(-0.1599, 3);
  expect(at(79, 799)).toBeCloseTo(-0.1599, 3);
});

it('audio before a turn counts as silence, whether it is given or not', () => {
  const turn = Float32Array.from({ length: 20_321 }, (_, i) => 0.3 * Math.sin(i * i * 1e-5) + 0.01);
  const padded = new Float32Array(WINDOW);
  padded.set(turn, WINDOW - turn.length);
  const features = new SmartTurnFeatures();
  const short = features.extract(turn);
  const whole = features.extract(padded);
  const worst = short.reduce((most, value, i) => Math.max(most, Math.abs(value - whole[i]!)), 0);
  expect(worst).toBeLessThan(1e-6);
});
