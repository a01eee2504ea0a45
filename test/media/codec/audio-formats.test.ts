import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AUDIO_FORMATS, audioFormats } from '../../../media/codec/audio-formats.js';
import type { AudioFormat } from '../../../media/codec/encoder.js';
import { cut, runBytes } from '../../support/harness/audio/run-stage.js';
import { tone } from '../../support/harness/audio/tones.js';
import '../../support/harness/process/property-seed.js';

const MP3S_OF_LAMEJS = [...audioFormats('lamejs').values()]
  .filter((format) => format.contentType === 'audio/mpeg')
  .map((format) => ({ ...format, name: `${format.name} of lamejs` }));
const FORMATS = [...AUDIO_FORMATS.values(), ...MP3S_OF_LAMEJS];
const MP3S = FORMATS.filter((format) => format.contentType === 'audio/mpeg');

async function encode(format: AudioFormat, chunks: readonly Float32Array[]): Promise<Buffer> {
  return runBytes(await format.createEncoder(), chunks);
}

describe('every format', () => {
  it.each(FORMATS)('$name gives the same bytes in any chunking', async (format) => {
    const samples = tone(440, format.sampleRate, 9001);
    const whole = await encode(format, [samples]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 6 }),
        async (lengths) => (await encode(format, cut(samples, lengths))).equals(whole),
      ),
      { numRuns: 10 },
    );
  });

  it.each(FORMATS)('$name restarts correctly after an abandoned stream', async (format) => {
    const samples = tone(440, format.sampleRate, 9001);
    const wanted = await encode(format, [samples]);
    const givenUp = await format.createEncoder();
    givenUp.push(tone(900, format.sampleRate, 7000), () => undefined);
    givenUp.flush(() => undefined);
    expect((await encode(format, [samples])).equals(wanted)).toBe(true);
  });
});

describe('PCM', () => {
  it('is signed 16-bit little-endian, with clipping', async () => {
    const bytes = await encode(AUDIO_FORMATS.get('pcm')!, [
      Float32Array.of(0, 0.5, -0.5, 1, -1, 2, -2, 1 / 32768),
    ]);
    expect(bytes.toString('hex')).toBe('0000004000c0ff7f0080ff7f00800100');
  });
});

describe('WAV', () => {
  const wav = AUDIO_FORMATS.get('wav')!;

  it('has unknown sizes when it is streamed', async () => {
    const bytes = await encode(wav, [tone(440, 32000, 100)]);
    expect(bytes.length).toBe(244);
    expect([bytes.readUInt32LE(4), bytes.readUInt32LE(40)]).toEqual([0xffffffff, 0xffffffff]);
  });

  it('has the sizes of the complete file in its header', async () => {
    const bytes = await encode(wav, [tone(440, 32000, 100)]);
    const head = Buffer.from(wav.headOfWhole!(bytes.length));
    expect([head.readUInt32LE(4), head.readUInt32LE(40)]).toEqual([236, 200]);
    head.writeUInt32LE(0xffffffff, 4);
    head.writeUInt32LE(0xffffffff, 40);
    expect(bytes.subarray(0, head.length).equals(head)).toBe(true);
  });

  it('has unknown sizes if its fields are too small for them', () => {
    expect(Buffer.from(wav.headOfWhole!(2 ** 33)).readUInt32LE(40)).toBe(0xffffffff);
  });

  it('has a header even without samples', async () => {
    expect((await encode(wav, [])).length).toBe(44);
  });
});

describe('MP3', () => {
  it.each(MP3S)(
    '$name consists of complete frames of one length, without a Xing frame',
    async (format) => {
      const encoder = await format.createEncoder();
      const outputs: Buffer[] = [];
      const keep = (output: Uint8Array) => {
        outputs.push(Buffer.from(output));
      };
      for (const chunk of cut(tone(440, format.sampleRate, 40000), [700]))
        encoder.push(chunk, keep);
      encoder.flush(keep);
      expect(outputs.length).toBeGreaterThan(10);
      for (const output of outputs) expect([output[0], output[1]! & 0xe0]).toEqual([0xff, 0xe0]);
      const file = Buffer.concat(outputs);
      expect(file.includes('Xing') || file.includes('Info')).toBe(false);
    },
  );

  it.each(MP3S.filter(({ name }) => name.startsWith('mp3_44100_32')))(
    '$name keeps 44.1 kHz at 32 kbit/s',
    async (format) => {
      const bytes = await encode(format, [tone(440, 44100, 4000)]);
      // MPEG 1, layer III; bit rate index 1 (32 kbit/s), rate index 0 (44.1 kHz), padded or not.
      expect([bytes[1]! & 0xfe, bytes[2]! & 0xfc]).toEqual([0xfa, 0x10]);
    },
  );

  it('uses the requested encoder, except for a format that lamejs encodes at half the rate', async () => {
    for (const { name, sampleRate } of AUDIO_FORMATS.values()) {
      if (!name.startsWith('mp3')) continue;
      const samples = tone(440, sampleRate, 9001);
      const [wasm, lamejs] = await Promise.all(
        (['wasm', 'lamejs'] as const).map((program) =>
          encode(audioFormats(program).get(name)!, [samples]),
        ),
      );
      expect(lamejs!.equals(wasm!)).toBe(name === 'mp3_44100_32');
    }
  });

  it.each(MP3S_OF_LAMEJS)('$name does not mix two streams', async (format) => {
    const [one, two] = [440, 1900].map((hz) => tone(hz, format.sampleRate, 9001));
    const wanted = [await encode(format, [one!]), await encode(format, [two!])];
    const encoders = [await format.createEncoder(), await format.createEncoder()];
    const found: Buffer[][] = [[], []];
    const keepIn = (i: number) => (bytes: Uint8Array) => void found[i]!.push(Buffer.from(bytes));
    for (let at = 0; at < 9001; at += 1152) {
      encoders[0]!.push(one!.subarray(at, at + 1152), keepIn(0));
      encoders[1]!.push(two!.subarray(at, at + 1152), keepIn(1));
    }
    for (const [i, encoder] of encoders.entries()) encoder.flush(keepIn(i));
    expect(found.map((outputs) => Buffer.concat(outputs))).toEqual(wanted);
  });
});
