import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InboundConcealment } from '../../../../agents-runtime/transports/telephony/inbound-concealment.js';
import { OutboundFramer } from '../../../../agents-runtime/transports/telephony/outbound-framer.js';
import { toInt16 } from '../../../../media/audio/pcm.js';
import { levelOf, tone } from '../../../support/harness/audio/tones.js';
import '../../../support/harness/process/property-seed.js';

function pcmTone(ms: number, rate = 8_000): Int16Array {
  const samples = tone(440, rate, (rate * ms) / 1000);
  const pcm = new Int16Array(samples.length);
  toInt16(samples, pcm);
  return pcm;
}

describe('outbound framer', () => {
  it('emits complete frames with the same audio in any chunking', () => {
    const speech = tone(440, 16_000, 16_000);
    fc.assert(
      fc.property(
        fc.constantFrom(8_000, 16_000, 24_000, 48_000),
        fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 20 }),
        (rate, cuts) => {
          const frames = new OutboundFramer(16_000, rate);
          const out: number[] = [];
          const keep = (pcm: Int16Array) => {
            expect(pcm.length % frames.frameLength).toBe(0);
            out.push(...pcm);
          };
          let at = 0;
          for (let i = 0; at < speech.length; i++) {
            const end = at + cuts[i % cuts.length]!;
            frames.push(speech.subarray(at, end), keep);
            at = end;
            expect(frames.heldMs).toBeLessThan(40);
          }
          frames.flush(keep);
          expect(frames.heldMs).toBe(0);
          // A second is a whole number of frames.
          expect(out.length).toBe(rate);
          const level = levelOf(
            Float32Array.from(out.slice(rate / 10, -rate / 10), (s) => s / 32768),
          );
          expect(level).toBeCloseTo(levelOf(speech), 2);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('continues without artefacts after a drop', () => {
    const frames = new OutboundFramer(16_000, 8_000);
    const out: number[] = [];
    frames.push(tone(440, 16_000, 500), () => undefined);
    frames.clear();
    frames.push(new Float32Array(1_600), (pcm) => out.push(...pcm));
    frames.flush((pcm) => out.push(...pcm));
    expect(out.length).toBe(800);
    expect(out.every((sample) => sample === 0)).toBe(true);
  });
});

describe('inbound audio', () => {
  const concealed = (frames: readonly [Int16Array, number | undefined][], rate = 8_000) => {
    const leg = new InboundConcealment(rate);
    const out: number[] = [];
    for (const [pcm, tsMs] of frames) leg.push(pcm, tsMs, (part) => out.push(...part));
    return { out, concealedMs: leg.concealedMs };
  };

  it('is one stream at 16 kHz in any chunking', () => {
    const whole = pcmTone(1_000);
    const reference = concealed([[whole, undefined]]).out;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }), (cuts) => {
        const frames: [Int16Array, undefined][] = [];
        for (let at = 0, i = 0; at < whole.length; i++) {
          const end = at + cuts[i % cuts.length]!;
          frames.push([whole.subarray(at, end), undefined]);
          at = end;
        }
        expect(concealed(frames).out).toEqual(reference);
      }),
      { numRuns: 30 },
    );
  });

  it('conceals lost audio: no time is missing, and the gap fades out', () => {
    const frame = pcmTone(20);
    const frames: [Int16Array, number][] = [];
    for (let at = 0; at < 1_000; at += 20) {
      if (at < 400 || at >= 600) frames.push([frame, at]);
    }
    const { out, concealedMs } = concealed(frames);
    expect(concealedMs).toBe(200);
    expect(Math.abs(out.length - 16_000)).toBeLessThan(160);
    const level = (fromMs: number, toMs: number) =>
      levelOf(Float32Array.from(out.slice(fromMs * 16, toMs * 16), (s) => s / 32768));
    const before = level(300, 400);
    expect(level(402, 418)).toBeGreaterThan(before / 2);
    expect(level(480, 580)).toBeLessThan(before / 20);
    expect(level(620, 720)).toBeCloseTo(before, 1);
  });

  it('drops late audio and accepts a clock that was set', () => {
    const frame = pcmTone(20);
    const inOrder = concealed([0, 20, 40, 60].map((at) => [frame, at])).out.length;
    expect(concealed([0, 20, 60, 40].map((at) => [frame, at])).out.length).toBe(inOrder);
    expect(concealed([0, 20, 90_000, 90_020].map((at) => [frame, at])).out.length).toBe(inOrder);
    expect(concealed([90_000, 90_020, 0, 20].map((at) => [frame, at])).out.length).toBe(inOrder);
  });
});
