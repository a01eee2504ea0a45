import { describe, expect, it } from 'vitest';
import { decodePreconnectAudio } from '../../../../../agents-runtime/transports/livekit/bridge/preconnect-audio.js';
import { OpusPacketEncoder } from '../../../../../media/codec/opus-packets.js';
import { MediaError } from '../../../../../media/errors.js';
import { CallInputRecorder } from '../../../../support/fakes/call-input-recorder.js';
import { tone } from '../../../../support/harness/audio/tones.js';

const HZ = 1_000;

/** The duration in seconds, and whether the audio is the tone. */
function describeAudio(samples: Int16Array) {
  const recorder = new CallInputRecorder();
  recorder.audio(samples);
  return { seconds: samples.length / 16_000, isTone: recorder.hasTone(HZ, 15) };
}

function raw(sampleRate: number, channels: number, seconds: number) {
  const mono = tone(HZ, sampleRate, sampleRate * seconds);
  const samples = new Int16Array(mono.length * channels);
  mono.forEach((sample, i) => {
    samples.fill(20_000 * sample, i * channels, (i + 1) * channels);
  });
  const attributes = { sampleRate: String(sampleRate), channels: String(channels) };
  const bytes = new Uint8Array(samples.buffer);
  return decodePreconnectAudio(bytes, { mimeType: 'audio/raw', attributes });
}

/** One block of a file without sizes, as browsers write it. */
const block = (packet: Uint8Array) => [
  0xa3,
  0x40 | ((packet.length + 4) >> 8),
  (packet.length + 4) & 0xff,
  ...[0x81, 0, 0, 0x80],
  ...packet,
];

describe('preconnect audio', () => {
  it('is decoded at any usual sample rate, mono or stereo', () => {
    expect(describeAudio(raw(24_000, 1, 1))).toEqual({ seconds: 1, isTone: true });
    expect(describeAudio(raw(44_100, 2, 1))).toEqual({ seconds: 1, isTone: true });
    expect(describeAudio(raw(16_000, 1, 12))).toEqual({ seconds: 10, isTone: true });
  });

  it('is decoded in the format of a browser recording', () => {
    const encoder = new OpusPacketEncoder(48_000);
    const samples = tone(HZ, 48_000, 48_000);
    const open = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    const bytes = [0x1a, 0x45, 0xdf, 0xa3, 0x80, 0x18, 0x53, 0x80, 0x67, ...open];
    bytes.push(0x1f, 0x43, 0xb6, 0x75, ...open);
    for (let at = 0; at < samples.length; at += 960) {
      bytes.push(...block(encoder.encode(samples.subarray(at, at + 960))));
    }
    encoder.close();
    const info = { mimeType: 'audio/webm;codecs=opus', attributes: {} };
    expect(describeAudio(decodePreconnectAudio(Uint8Array.from(bytes), info))).toEqual({
      seconds: 1,
      isTone: true,
    });
  });

  it('is refused at an unusual sample rate or if it is not audio', () => {
    expect(() => raw(12_345, 1, 1)).toThrow(MediaError);
    const info = { mimeType: 'audio/webm;codecs=opus', attributes: {} };
    expect(() => decodePreconnectAudio(Buffer.from('not a WebM'), info)).toThrow(MediaError);
    expect(decodePreconnectAudio(new Uint8Array(0), info)).toHaveLength(0);
  });
});
