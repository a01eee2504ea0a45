import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CallError } from '../../../../agents-runtime/contract/errors.js';
import {
  audioFrame,
  gapFrame,
  IpcFrameReader,
  MAX_IPC_PAYLOAD_BYTES,
  messageFrame,
  readGap,
  readIpcMessage,
  readSamples,
  toFrame,
} from '../../../../agents-runtime/transports/livekit/ipc-frames.js';
import '../../../support/harness/process/property-seed.js';

type Sent =
  | { readonly kind: 'message'; readonly room: number; readonly value: unknown }
  | { readonly kind: 'audio'; readonly room: number; readonly value: readonly number[] }
  | { readonly kind: 'gap'; readonly room: number; readonly value: number };

const room = fc.nat({ max: 2 ** 32 - 1 });
const sent: fc.Arbitrary<Sent> = fc.oneof(
  fc.record({ kind: fc.constant('message' as const), room, value: fc.jsonValue() }),
  fc.record({
    kind: fc.constant('audio' as const),
    room,
    value: fc.array(fc.integer({ min: -32768, max: 32767 }), { maxLength: 400 }),
  }),
  fc.record({ kind: fc.constant('gap' as const), room, value: fc.nat({ max: 2 ** 32 - 1 }) }),
);

function frameOf({ kind, room: id, value }: Sent): Buffer {
  if (kind === 'message') return messageFrame(id, value);
  return kind === 'gap' ? gapFrame(id, value) : audioFrame(id, Int16Array.from(value));
}

function readAll(chunks: readonly Buffer[]): Sent[] {
  const reader = new IpcFrameReader();
  const read: Sent[] = [];
  for (const chunk of chunks) {
    reader.push(chunk, ({ kind, room: id, payload }) => {
      if (kind === 'message') read.push({ kind, room: id, value: readIpcMessage(payload) });
      else if (kind === 'gap') read.push({ kind, room: id, value: readGap(payload) });
      else read.push({ kind, room: id, value: [...readSamples(payload)] });
    });
    // The pipe reuses its memory.
    chunk.fill(0xff);
  }
  return read;
}

describe('IPC frames of a bridge', () => {
  it('are decoded to the original frames in any chunking', () => {
    const cuts = fc.array(fc.nat({ max: 300 }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.array(sent, { maxLength: 12 }), cuts, (all, lengths) => {
        const whole = Buffer.concat(all.map(frameOf));
        const chunks: Buffer[] = [];
        let at = 0;
        for (const length of lengths) {
          chunks.push(Buffer.from(whole.subarray(at, at + length)));
          at += length;
        }
        chunks.push(Buffer.from(whole.subarray(at)));
        // JSON has only one zero.
        expect(readAll(chunks)).toEqual(JSON.parse(JSON.stringify(all)));
      }),
    );
  });

  it('return samples in separate memory', () => {
    const frame = audioFrame(1, Int16Array.of(1, 2, 3));
    new IpcFrameReader().push(Buffer.concat([Buffer.alloc(0), frame]), ({ payload }) => {
      const samples = readSamples(payload);
      expect([samples.byteOffset, samples.buffer.byteLength]).toEqual([0, 6]);
    });
  });

  it('reject invalid and oversized frames', () => {
    const nothing = () => undefined;
    expect(() => new IpcFrameReader().push(Buffer.alloc(64, 0xff), nothing)).toThrow(CallError);
    const unknownKind = toFrame('gap', 1, new Uint8Array(4));
    unknownKind.writeUInt32LE(3, 8);
    expect(() => new IpcFrameReader().push(unknownKind, nothing)).toThrow(CallError);
    const most = new Uint8Array(MAX_IPC_PAYLOAD_BYTES);
    expect(toFrame('audio', 1, most).length).toBeGreaterThan(MAX_IPC_PAYLOAD_BYTES);
    expect(() => toFrame('audio', 1, new Uint8Array(MAX_IPC_PAYLOAD_BYTES + 1))).toThrow(CallError);
  });
});
