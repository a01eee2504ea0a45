import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EspeakFrameReader, encodeFrame } from '../../../../media/tts/espeak/ipc-frames.js';
import '../../../support/harness/process/property-seed.js';

const FRAMES = fc.array(
  fc.record({ head: fc.record({ text: fc.string({ unit: 'binary' }) }), body: fc.uint8Array() }),
);

describe('IPC frames of the eSpeak process', () => {
  it('are decoded to the original frames in any chunking', () => {
    fc.assert(
      fc.property(FRAMES, fc.integer({ min: 1, max: 40 }), (frames, step) => {
        const encoded = Buffer.concat(frames.map(({ head, body }) => encodeFrame(head, body)));
        const reader = new EspeakFrameReader();
        const found = [];
        for (let at = 0; at < encoded.length; at += step) {
          found.push(...reader.push(encoded.subarray(at, at + step)));
        }
        expect(found.map(({ head }) => head)).toEqual(frames.map(({ head }) => head));
        expect(found.map(({ body }) => [...body])).toEqual(frames.map(({ body }) => [...body]));
        // A body is read as samples from the start of its buffer.
        expect(found.every(({ body }) => body.byteLength === body.buffer.byteLength)).toBe(true);
      }),
    );
  });

  it('are rejected if they are too large', () => {
    expect(() => new EspeakFrameReader().push(new Uint8Array(8).fill(255))).toThrow('too large');
  });
});
