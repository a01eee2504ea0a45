import { describe, expect, it } from 'vitest';
import { MicrophoneFrames } from '../../../src/web/call/microphone-frames.js';
import { ResampledReader } from '../../../src/web/call/resampled-reader.js';
import { cut } from '../../support/harness/audio/run-stage.js';
import { levelOf, likenessDb, tone } from '../../support/harness/audio/tones.js';

/** Samples that a browser passes to a worklet at a time. */
const QUANTUM = 128;
const DEVICE_RATES = [8000, 16_000, 22_050, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000];

function captured(samples: Float32Array, rate: number): Float32Array {
  const frames: Int16Array[] = [];
  const maker = new MicrophoneFrames(rate, (frame) => frames.push(frame));
  for (const quantum of cut(samples, [QUANTUM])) maker.push(quantum);
  expect(new Set(frames.map(({ length }) => length))).toEqual(new Set([320]));
  return Float32Array.from(
    frames.flatMap((frame) => [...frame]),
    (sample) => sample / 32768,
  );
}

describe('microphone audio', () => {
  it.each(DEVICE_RATES)('is converted to frames of 20 ms at 16 kHz, from %i Hz', (rate) => {
    const found = captured(tone(1000, rate, rate), rate);
    expect(found.length).toBeGreaterThanOrEqual(15_680);
    const wanted = tone(1000, 16_000, found.length);
    expect(likenessDb(wanted.subarray(320), found.subarray(320))).toBeGreaterThan(60);
  });

  it('has no aliases above the bandwidth of 16 kHz', () => {
    const found = captured(tone(11_000, 48_000, 48_000), 48_000);
    expect(levelOf(found.subarray(320))).toBeLessThan(0.0005);
  });

  it('is clipped without wraparound if it is too loud', () => {
    const found = captured(new Float32Array(16_000).fill(1.5), 16_000);
    expect(Math.min(...found)).toBeGreaterThan(0.99);
  });
});

describe('loudspeaker audio', () => {
  it.each(DEVICE_RATES)("is the agent's audio at the sample rate of the device, %i Hz", (rate) => {
    const source = tone(1000, 24_000, 48_000);
    let at = 0;
    const reader = new ResampledReader(24_000, rate, (block) => {
      block.set(source.subarray(at, at + block.length));
      at += block.length;
    });
    const found = new Float32Array(QUANTUM * Math.floor(rate / QUANTUM));
    for (const quantum of cut(found, [QUANTUM])) reader.read(quantum);
    expect(likenessDb(tone(1000, rate, found.length), found)).toBeGreaterThan(55);
    // It is read on demand and not ahead, so that the playhead is correct.
    expect(at / 24_000 - found.length / rate).toBeLessThan(0.02);
  });
});
