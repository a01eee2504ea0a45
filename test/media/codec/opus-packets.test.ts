import { describe, expect, it } from 'vitest';
import { OpusDecoder } from '../../../media/codec/libopus.js';
import { isOpusRate, OpusPacketEncoder } from '../../../media/codec/opus-packets.js';
import { cut } from '../../support/harness/audio/run-stage.js';
import { levelOf, tone } from '../../support/harness/audio/tones.js';

const RATES = [8000, 12000, 16000, 24000, 48000] as const;

/** The packets of a tone and their decoded audio. */
function codec(rate: (typeof RATES)[number]) {
  const encoder = new OpusPacketEncoder(rate);
  const decoder = new OpusDecoder(rate);
  return {
    pass: (frame: Float32Array) => decoder.decode(encoder.encode(frame)),
    close: () => {
      encoder.close();
      decoder.close();
    },
  };
}

describe('Opus packets', () => {
  it.each(RATES)('encode and decode a tone at %i Hz', (rate) => {
    const { pass, close } = codec(rate);
    const frequencies: number[] = [];
    for (const frame of cut(tone(440, rate, rate), [rate / 50])) frequencies.push(...pass(frame));
    expect(frequencies.length).toBe(rate);
    const level = levelOf(
      Float32Array.from(frequencies.slice(rate / 2), (sample) => sample / 32768),
    );
    expect(level).toBeCloseTo(0.5 * Math.SQRT1_2, 1);
    close();
    close();
  });

  it('are encoded for 150 separate calls at the same time', () => {
    const frames = cut(tone(300, 24000, 4800), [480]);
    const first = codec(24000);
    const wanted = frames.map((frame) => first.pass(frame));
    first.close();
    const calls = Array.from({ length: 150 }, () => codec(24000));
    for (const [i, frame] of frames.entries()) {
      for (const call of calls) expect(call.pass(frame)).toEqual(wanted[i]);
    }
    for (const call of calls) call.close();
  });

  it.each([[[]], [[0xff, 0xff, 0xff]], [Array<number>(1276).fill(0)]])(
    'are rejected if they are invalid, %#',
    (bytes) => {
      const decoder = new OpusDecoder(24000);
      expect(() => decoder.decode(Uint8Array.from(bytes))).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT' }),
      );
      decoder.close();
    },
  );

  it('support five sample rates', () => {
    expect([8000, 24000, 44100].map(isOpusRate)).toEqual([true, true, false]);
  });
});
