import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AUDIOSOCKET_KIND,
  AudioSocketCodec,
  AudioSocketParser,
  audioPacket,
  audioSocketPacket,
  MAX_HELD_BYTES,
  uuidBytes,
} from '../../../../agents-runtime/transports/telephony/audiosocket-protocol.js';
import type { CarrierEvent } from '../../../../agents-runtime/transports/telephony/carrier.js';
import '../../../support/harness/process/property-seed.js';

const UUID = '40325ec2-5efd-4bd3-805f-53576e581d13';
const RATES: readonly (readonly [number, number])[] = [
  [0x10, 8_000],
  [0x11, 12_000],
  [0x12, 16_000],
  [0x13, 24_000],
  [0x14, 32_000],
  [0x15, 44_100],
  [0x16, 48_000],
  [0x17, 96_000],
  [0x18, 192_000],
];

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

function read(codec: AudioSocketCodec, ...chunks: readonly Uint8Array[]): CarrierEvent[] {
  const events: CarrierEvent[] = [];
  const keep = (event: CarrierEvent) =>
    events.push(event.type === 'audio' ? { ...event, pcm: event.pcm.slice() } : event);
  for (const chunk of chunks) codec.read(chunk, keep);
  return events;
}

const pcm = (length: number) => Int16Array.from({ length }, (_, i) => i * 37 - 3_000);

describe('AudioSocket packets', () => {
  it('are encoded and decoded exactly', () => {
    expect(audioSocketPacket(AUDIOSOCKET_KIND.uuid, uuidBytes(UUID))).toEqual(
      bytes('01 0010 40325ec25efd4bd3805f53576e581d13'),
    );
    expect(audioSocketPacket(AUDIOSOCKET_KIND.dtmf, Buffer.from('5'))).toEqual(bytes('03 0001 35'));
    expect(audioSocketPacket(AUDIOSOCKET_KIND.hangup)).toEqual(bytes('00 0000'));
    expect(audioPacket(pcm(160), 8_000).subarray(0, 3)).toEqual(bytes('10 0140'));
    expect(audioPacket(pcm(160), 8_000).length).toBe(3 + 320);
    expect(audioPacket(pcm(320), 16_000).subarray(0, 3)).toEqual(bytes('12 0280'));
    expect(() => audioPacket(pcm(1), 11_025)).toThrow(RangeError);
    const codec = new AudioSocketCodec();
    expect(
      read(codec, bytes('01 0010 40325ec25efd4bd3805f53576e581d13'), bytes('03 0001 35')),
    ).toEqual([{ type: 'dtmf', digit: '5' }]);
    expect(codec.uuid).toBe(UUID);
    expect(codec.write({ type: 'hangup' })).toEqual(bytes('00 0000'));
  });

  it('open the stream at the sample rate of the first audio, for every rate', () => {
    for (const [kind, sampleRate] of RATES) {
      const codec = new AudioSocketCodec();
      const audio = audioPacket(pcm(sampleRate / 50), sampleRate);
      expect(audio[0]).toBe(kind);
      const events = read(codec, audioSocketPacket(AUDIOSOCKET_KIND.uuid, uuidBytes(UUID)), audio);
      expect(events).toEqual([
        { type: 'open', streamId: UUID, callId: UUID, sampleRate },
        { type: 'audio', pcm: pcm(sampleRate / 50) },
      ]);
      expect(codec.write({ type: 'audio', pcm: pcm(3) })).toEqual(audioPacket(pcm(3), sampleRate));
    }
  });
});

describe('AudioSocket codec', () => {
  it('has no packet for unsupported actions, nor for empty audio, which would end the call in Asterisk', () => {
    const codec = new AudioSocketCodec();
    expect(codec.write({ type: 'clear' })).toBeUndefined();
    expect(codec.write({ type: 'mark', name: 'x' })).toBeUndefined();
    expect(codec.write({ type: 'audio', pcm: new Int16Array(0) })).toBeUndefined();
  });

  it('opens once at the default sample rate if no audio arrives', () => {
    const codec = new AudioSocketCodec();
    const events = read(codec, audioSocketPacket(AUDIOSOCKET_KIND.uuid, uuidBytes(UUID)));
    for (let i = 0; i < 2; i++) codec.settle((event) => events.push(event));
    expect(events).toEqual([{ type: 'open', streamId: UUID, callId: UUID, sampleRate: 8_000 }]);
  });

  it('reports errors and continues where possible', () => {
    const started = () => {
      const codec = new AudioSocketCodec();
      read(
        codec,
        audioSocketPacket(AUDIOSOCKET_KIND.uuid, uuidBytes(UUID)),
        audioPacket(pcm(160), 8_000),
      );
      return codec;
    };
    const faults: readonly (readonly [Buffer, boolean])[] = [
      [audioSocketPacket(0x10, Buffer.alloc(3)), false],
      [audioPacket(pcm(320), 16_000), false],
      [audioSocketPacket(0x77, Buffer.alloc(5)), false],
      [audioSocketPacket(AUDIOSOCKET_KIND.dtmf, Buffer.from('x')), false],
      [audioSocketPacket(AUDIOSOCKET_KIND.dtmf), false],
      [audioSocketPacket(AUDIOSOCKET_KIND.uuid, uuidBytes(UUID)), false],
      [audioSocketPacket(AUDIOSOCKET_KIND.error, Buffer.from([2])), true],
      [audioSocketPacket(AUDIOSOCKET_KIND.error), true],
    ];
    for (const [packet, isFatal] of faults) {
      const codec = started();
      expect(read(codec, packet)).toMatchObject([{ type: 'error', isFatal }]);
      expect(read(codec, audioPacket(pcm(160), 8_000))).toMatchObject([{ type: 'audio' }]);
    }
    expect(read(started(), audioSocketPacket(AUDIOSOCKET_KIND.hangup))).toMatchObject([
      { type: 'close' },
    ]);
    expect(read(started(), audioSocketPacket(0x10))).toEqual([]);
    for (const first of [
      audioPacket(pcm(160), 8_000),
      audioSocketPacket(AUDIOSOCKET_KIND.uuid, Buffer.alloc(4)),
    ]) {
      expect(read(new AudioSocketCodec(), first)[0]).toMatchObject({
        type: 'error',
        isFatal: true,
      });
    }
  });
});

describe('AudioSocket input', () => {
  const packet = fc.oneof(
    fc
      .tuple(fc.constantFrom(...RATES), fc.integer({ min: 0, max: 400 }))
      .map(([[kind], length]) => audioSocketPacket(kind, Buffer.alloc(length * 2, 7))),
    fc
      .constantFrom('1', '9', '#')
      .map((key) => audioSocketPacket(AUDIOSOCKET_KIND.dtmf, Buffer.from(key))),
    fc.uint8Array({ maxLength: 300 }).map((payload) => audioSocketPacket(0x42, payload)),
  );
  const cut = (stream: Buffer, sizes: readonly number[]) => {
    const chunks: Buffer[] = [];
    for (let at = 0, i = 0; at < stream.length; i++) {
      const size = sizes[i % sizes.length]!;
      chunks.push(stream.subarray(at, at + size));
      at += size;
    }
    return chunks;
  };
  const sizes = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 8 });

  it('gives the same events in any chunking', () => {
    fc.assert(
      fc.property(fc.array(packet, { maxLength: 20 }), sizes, (packets, cuts) => {
        const stream = Buffer.concat([
          audioSocketPacket(AUDIOSOCKET_KIND.uuid, uuidBytes(UUID)),
          ...packets,
        ]);
        const whole = read(new AudioSocketCodec(), stream);
        expect(read(new AudioSocketCodec(), ...cut(stream, cuts))).toEqual(whole);
      }),
      { numRuns: 200 },
    );
  });

  it('is decoded without exceptions, and at most one packet is buffered', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(packet, fc.uint8Array({ maxLength: 500 })), { maxLength: 15 }),
        sizes,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 10 }),
        (inputs, cuts, changes) => {
          const stream = Buffer.concat(inputs);
          for (const [at, value] of changes)
            if (stream.length > 0) stream[at % stream.length] = value;
          const codec = new AudioSocketCodec();
          const parser = new AudioSocketParser();
          let payloads = 0;
          for (const chunk of cut(stream, cuts)) {
            codec.read(chunk, () => undefined);
            parser.push(chunk, (_, payload) => {
              payloads += payload.length + 3;
            });
            expect(parser.heldBytes).toBeLessThanOrEqual(MAX_HELD_BYTES);
          }
          expect(payloads + parser.heldBytes).toBe(stream.length);
        },
      ),
      { numRuns: 300 },
    );
  });
});
