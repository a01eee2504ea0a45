import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CarrierEvent } from '../../../../agents-runtime/transports/telephony/carrier.js';
import {
  MAX_TWILIO_MESSAGE,
  TwilioCodec,
} from '../../../../agents-runtime/transports/telephony/twilio-protocol.js';
import { decodeMulaw } from '../../../../media/codec/g711.js';
import '../../../support/harness/process/property-seed.js';

/** Messages in Twilio's format. */
const CONNECTED = '{"event":"connected","protocol":"Call","version":"1.0.0"}';
const START =
  '{"event":"start","sequenceNumber":"1","streamSid":"MZ01","start":{"accountSid":"AC01",' +
  '"streamSid":"MZ01","callSid":"CA01","tracks":["inbound"],"mediaFormat":{"encoding":"audio/x-mulaw",' +
  '"sampleRate":8000,"channels":1},"customParameters":{"agentId":"ag_123"}}}';
const ENCODED = Uint8Array.from({ length: 160 }, (_, i) => (i * 7) % 256);
const PAYLOAD = Buffer.from(ENCODED).toString('base64');
const MEDIA =
  '{"event":"media","sequenceNumber":"3","streamSid":"MZ01","media":{"track":"inbound","chunk":"1",' +
  `"timestamp":"20","payload":"${PAYLOAD}"}}`;
const DTMF =
  '{"event":"dtmf","streamSid":"MZ01","sequenceNumber":"5","dtmf":{"track":"inbound_track","digit":"1"}}';
const MARK = '{"event":"mark","streamSid":"MZ01","sequenceNumber":"8","mark":{"name":"u7"}}';
const STOP =
  '{"event":"stop","sequenceNumber":"9","streamSid":"MZ01","stop":{"accountSid":"AC01","callSid":"CA01"}}';
const MESSAGES = [CONNECTED, START, MEDIA, DTMF, MARK, STOP];

function started(): TwilioCodec {
  const codec = new TwilioCodec();
  codec.read(START);
  return codec;
}

const media = (payload: string, more: object = {}) =>
  JSON.stringify({
    event: 'media',
    streamSid: 'MZ01',
    media: { track: 'inbound', payload },
    ...more,
  });
const FAULT = { type: 'error', isFatal: false };

describe('message from Twilio', () => {
  it('is decoded to the common carrier events', () => {
    const codec = new TwilioCodec();
    expect(codec.read(CONNECTED)).toBeUndefined();
    expect(codec.read(START)).toEqual({
      type: 'open',
      streamId: 'MZ01',
      callId: 'CA01',
      sampleRate: 8_000,
    });
    const pcm = new Int16Array(160);
    decodeMulaw(ENCODED, pcm);
    expect(codec.read(MEDIA)).toEqual({ type: 'audio', pcm, tsMs: 20 });
    expect(codec.read(DTMF)).toEqual({ type: 'dtmf', digit: '1' });
    codec.write({ type: 'mark', name: 'u7' });
    expect(codec.read(MARK)).toEqual({ type: 'mark', name: 'u7', cleared: false });
    expect(codec.read(STOP)).toEqual({ type: 'close', reason: 'stop' });
  });

  it('is accepted without parameters, with numbers as counters, and without counters', () => {
    const codec = new TwilioCodec();
    const { start, ...rest } = JSON.parse(START);
    delete start.customParameters;
    start.mediaFormat.sampleRate = '8000';
    expect(codec.read(JSON.stringify({ ...rest, start }))).toMatchObject({
      type: 'open',
    });
    expect(codec.read(media(PAYLOAD))).toMatchObject({ tsMs: undefined });
    expect(codec.read(media(PAYLOAD, { sequenceNumber: 9 }))).toMatchObject({ type: 'audio' });
  });

  it('may skip sequence numbers and have chunks of any length', () => {
    const codec = started();
    for (const [length, sequenceNumber] of [
      [160, '4'],
      [1, '900'],
      [161, '2'],
      [4_000, '901'],
    ] as const) {
      const event = codec.read(
        media(Buffer.alloc(length, 0xff).toString('base64'), { sequenceNumber }),
      );
      expect(event).toMatchObject({ type: 'audio' });
      expect((event as Extract<CarrierEvent, { type: 'audio' }>).pcm).toHaveLength(length);
    }
    expect(codec.read(media(''))).toBeUndefined();
  });

  it('with audio of the other leg is ignored', () => {
    const codec = started();
    const outbound = {
      event: 'media',
      streamSid: 'MZ01',
      media: { track: 'outbound', payload: PAYLOAD },
    };
    expect(codec.read(JSON.stringify(outbound))).toBeUndefined();
  });

  it.each([
    ['no JSON', 'event=media'],
    ['truncated', MEDIA.slice(0, 60)],
    ['an array', '[]'],
    ['an unknown event', '{"event":"bark","streamSid":"MZ01"}'],
    ['bad base64', media('=not base64=')],
    ['base64 with a gap', media(`${PAYLOAD.slice(0, 40)}!${PAYLOAD.slice(41)}`)],
    ['truncated base64', media(PAYLOAD.slice(0, -1))],
    ['a payload of another type', '{"event":"media","media":{"payload":7}}'],
    ['a second start', START],
    ['an invalid digit', '{"event":"dtmf","dtmf":{"digit":"x"}}'],
    ['a message of 1 MB', media('A'.repeat(1024 * 1024))],
    ['a message one byte over the limit', ' '.repeat(MAX_TWILIO_MESSAGE + 1)],
  ])('is a non-fatal error if it is %s', (_, text) => {
    const codec = started();
    expect(codec.read(text)).toMatchObject(FAULT);
    expect(codec.read(MEDIA)).toMatchObject({ type: 'audio' });
  });

  it('is a fatal error for another codec', () => {
    for (const format of [
      { encoding: 'audio/x-l16', sampleRate: 8_000, channels: 1 },
      { encoding: 'audio/x-mulaw', sampleRate: 16_000, channels: 1 },
      { encoding: 'audio/x-mulaw', sampleRate: 8_000, channels: 2 },
      { encoding: 'opus' },
    ]) {
      const codec = new TwilioCodec();
      const message = JSON.parse(START);
      message.start.mediaFormat = format;
      expect(codec.read(JSON.stringify(message))).toMatchObject({ type: 'error', isFatal: true });
      expect(codec.read(MEDIA)).toMatchObject(FAULT);
    }
  });
});

describe('message to Twilio', () => {
  it('is not sent before the stream has an ID', () => {
    const codec = new TwilioCodec();
    codec.read(CONNECTED);
    expect(codec.write({ type: 'clear' })).toBeUndefined();
    expect(codec.write({ type: 'audio', pcm: new Int16Array(160) })).toBeUndefined();
  });

  it('has exactly the format of audio, mark and clear', () => {
    const codec = started();
    const pcm = new Int16Array(160);
    decodeMulaw(ENCODED, pcm);
    // 0x7f is the other zero, which is never encoded.
    const encoded = Buffer.from(ENCODED.map((byte) => (byte === 0x7f ? 0xff : byte)));
    expect(codec.write({ type: 'audio', pcm })).toBe(
      `{"event":"media","streamSid":"MZ01","media":{"payload":"${encoded.toString('base64')}"}}`,
    );
    expect(codec.write({ type: 'mark', name: 'u7' })).toBe(
      '{"event":"mark","streamSid":"MZ01","mark":{"name":"u7"}}',
    );
    expect(codec.write({ type: 'clear' })).toBe('{"event":"clear","streamSid":"MZ01"}');
    expect(codec.write({ type: 'hangup' })).toBeUndefined();
  });

  it('with a mark gives one event when the mark returns: played or cleared, and none for unknown marks', () => {
    const codec = started();
    const back = (name: string) => codec.read(JSON.stringify({ event: 'mark', mark: { name } }));
    codec.write({ type: 'mark', name: 'a' });
    codec.write({ type: 'mark', name: 'b' });
    expect(back('a')).toMatchObject({ cleared: false });
    codec.write({ type: 'clear' });
    codec.write({ type: 'mark', name: 'c' });
    expect(back('b')).toMatchObject({ cleared: true });
    expect(back('c')).toMatchObject({ cleared: false });
    expect(back('c')).toBeUndefined();
    expect(back('z')).toBeUndefined();
  });

  it('drops the oldest marks that never return', () => {
    const codec = started();
    for (let i = 0; i < 1_000; i++) codec.write({ type: 'mark', name: `m${i}` });
    const back = (name: string) => codec.read(JSON.stringify({ event: 'mark', mark: { name } }));
    expect(back('m0')).toBeUndefined();
    expect(back('m743')).toBeUndefined();
    expect(back('m744')).toMatchObject({ name: 'm744' });
  });
});

describe('arbitrary Twilio message', () => {
  const KINDS = ['open', 'audio', 'dtmf', 'mark', 'close', 'error'];
  const check = (codec: TwilioCodec, text: string) => {
    const event = codec.read(text);
    if (!event) return;
    expect(KINDS).toContain(event.type);
    // The output is never larger than the input.
    if (event.type === 'audio') expect(event.pcm.length).toBeLessThanOrEqual(text.length);
  };

  it('is decoded without exceptions: known messages with random edits', () => {
    const codec = started();
    const mutation = fc.record({
      message: fc.constantFrom(...MESSAGES),
      at: fc.nat(400),
      cut: fc.nat(40),
      text: fc.string({ maxLength: 40, unit: 'binary' }),
    });
    fc.assert(
      fc.property(mutation, ({ message, at, cut, text }) => {
        check(codec, message.slice(0, at) + text + message.slice(at + cut));
      }),
      { numRuns: 800 },
    );
    expect(codec.read(MEDIA)).toMatchObject({ type: 'audio' });
  });

  it('is decoded without exceptions: any JSON, and known events with any values', () => {
    const codec = started();
    const events = fc.constantFrom('connected', 'start', 'media', 'dtmf', 'mark', 'stop');
    const message = fc.record(
      {
        event: events,
        streamSid: fc.anything(),
        start: fc.anything(),
        media: fc.oneof(fc.anything(), fc.record({ payload: fc.anything() })),
        dtmf: fc.anything(),
        mark: fc.oneof(fc.anything(), fc.record({ name: fc.anything() })),
      },
      { requiredKeys: ['event'] },
    );
    const json = fc.oneof(
      fc.json(),
      message.map((value) => JSON.stringify(value, noBigInts)),
    );
    fc.assert(
      fc.property(json, (text) => check(codec, text)),
      { numRuns: 500 },
    );
  });

  it('is decoded equally for any JSON notation of its audio, valid or not', () => {
    const written = fc.record({
      payload: fc.oneof(
        fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64')),
        fc.string({ maxLength: 12, unit: fc.constantFrom(...'AZ09+/=!') }),
      ),
      sequenceNumber: fc.constantFrom('3', '0', '123456789012345', '1234567890123456', '-1', ''),
      timestamp: fc.constantFrom('20', '007', 'soon'),
      track: fc.constantFrom('inbound', 'inbound', 'outbound'),
      isLast: fc.boolean(),
    });
    fc.assert(
      fc.property(written, ({ payload, sequenceNumber, timestamp, track, isLast }) => {
        const sid = { streamSid: 'MZ01' };
        const message = {
          event: 'media',
          sequenceNumber,
          ...(!isLast && sid),
          media: { track, chunk: '1', timestamp, payload },
          ...(isLast && sid),
        };
        const plain = started().read(JSON.stringify(message));
        expect(plain).toEqual(started().read(JSON.stringify(message, undefined, 1)));
      }),
      { numRuns: 300 },
    );
  });

  it('is decoded by the peer to the original event', () => {
    const codec = started();
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 640 }), (bytes) => {
        const encoded = bytes.map((byte) => (byte === 0x7f ? 0xff : byte));
        const event = codec.read(media(Buffer.from(encoded).toString('base64')));
        const { pcm } = event as Extract<CarrierEvent, { type: 'audio' }>;
        const sent = JSON.parse(codec.write({ type: 'audio', pcm })!);
        expect(sent.media.payload).toBe(Buffer.from(encoded).toString('base64'));
      }),
    );
  });
});

function noBigInts(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
