import { describe, expect, it } from 'vitest';
import { NoiseDetector, NoiseFloor } from '../../../media/noise/noise-detector.js';
import { whiteNoise } from '../../support/harness/audio/noise.js';

const RATE = 16_000;

/** Noise at this level, in dBFS. */
function noise(seconds: number, levelDb: number): Float32Array {
  const gain = 10 ** (levelDb / 20) * Math.sqrt(3);
  return whiteNoise(seconds * RATE).map((sample) => sample * gain);
}

/** Speech-like signal: tones of 180 ms with gaps of 60 ms and no longer pause. */
function talk(seconds: number, levelDb: number): Float32Array {
  const gain = 10 ** (levelDb / 20) * Math.SQRT2;
  return Float32Array.from({ length: seconds * RATE }, (_, i) => {
    const isDip = i % 3_840 > 2_880;
    return (isDip ? 0.02 : 1) * gain * Math.sin((2 * Math.PI * 180 * i) / RATE);
  });
}

const sum = (a: Float32Array, b: Float32Array) => a.map((sample, i) => sample + b[i]!);

function floorOf(samples: Float32Array): number {
  const floor = new NoiseFloor();
  floor.push(samples);
  return floor.levelDb ?? Number.NaN;
}

describe('noise level', () => {
  it('equals that of steady noise', () => {
    for (const levelDb of [-70, -50, -30, -10]) {
      expect(Math.abs(floorOf(noise(4, levelDb)) - levelDb)).toBeLessThan(1.5);
    }
  });

  it('is not raised by speech', () => {
    const both = sum(noise(4, -50), talk(4, -20));
    expect(Math.abs(floorOf(both) - -50)).toBeLessThan(4);
  });

  it('is unknown at first and unchanged by a muted line', () => {
    const floor = new NoiseFloor();
    floor.push(new Float32Array(RATE));
    expect(floor.levelDb).toBeUndefined();
    floor.push(noise(4, -40));
    const before = floor.levelDb;
    floor.push(new Float32Array(10 * RATE));
    expect(floor.levelDb).toBe(before);
  });

  it('is the same in any chunking', () => {
    const audio = noise(2, -40);
    const floor = new NoiseFloor();
    for (let at = 0; at < audio.length; at += 77) floor.push(audio.subarray(at, at + 77));
    expect(floor.levelDb).toBeCloseTo(floorOf(audio), 6);
  });
});

describe('noise reduction switch', () => {
  it('turns on in noise within 2 s and off in silence within 4 s', () => {
    const detector = new NoiseDetector();
    expect(detector.push(noise(0.5, -35))).toBe(false);
    expect(detector.push(noise(1.5, -35))).toBe(true);
    expect(detector.push(noise(2, -65))).toBe(false);
  });

  it('stays off in a quiet room, also during loud speech', () => {
    const detector = new NoiseDetector();
    expect(detector.push(noise(5, -60))).toBe(false);
    expect(detector.push(sum(noise(5, -60), talk(5, -15)))).toBe(false);
  });

  it('keeps its state at levels in between', () => {
    const detector = new NoiseDetector();
    const switches: boolean[] = [];
    for (const levelDb of [-60, -49, -44, -49, -48, -50, -56, -49]) {
      switches.push(detector.push(noise(4, levelDb)));
    }
    expect(switches).toEqual([false, false, true, true, true, true, false, false]);
  });
});
