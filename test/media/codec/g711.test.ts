import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from '../../../media/codec/g711.js';

const PCM = [
  0, 1, -1, 8, -8, 100, -100, 1000, -1000, 8000, -8000, 32635, -32635, 32767, -32768,
] as const;

// Reference values from CPython's audioop.
const LAWS = [
  {
    name: 'μ-law',
    encode: encodeMulaw,
    decode: decodeMulaw,
    wire: 'ffff7efe7ef272ce4ea02080008000',
    decoded: [0, 0, -8, 8, -8, 104, -104, 988, -988, 7932, -7932, 32124, -32124, 32124, -32124],
    allDecoded: '3dab54339e520bb2c924826e3b72a917a2b612e9fd12fc867500f1d983a75827',
    allEncoded: '81d633c9e6972a18c74a58720b96cb8ca0bdd096d4060b646dd708c3b846019a',
    silence: 0xff,
  },
  {
    name: 'A-law',
    encode: encodeAlaw,
    decode: decodeAlaw,
    wire: 'd5d555d555d353fa7a8a0aaa2aaa2a',
    decoded: [8, 8, -8, 8, -8, 104, -104, 1008, -1008, 8064, -8064, 32256, -32256, 32256, -32256],
    allDecoded: 'e04788d110e58ff8c70c93b8480190d973e3b67876b6119abbaec766cc75c174',
    allEncoded: '38488f6fd710f4686360edc4d38639f96c491595ef93f8eb8d62d5e07ca6ce7b',
    silence: 0xd5,
  },
] as const;

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe.each(LAWS)('$name', ({ encode, decode, ...wanted }) => {
  it('encodes and decodes the known samples', () => {
    const encoded = new Uint8Array(PCM.length);
    encode(Int16Array.from(PCM), encoded);
    expect(Buffer.from(encoded).toString('hex')).toBe(wanted.wire);
    const pcm = new Int16Array(PCM.length);
    decode(encoded, pcm);
    expect([...pcm]).toEqual(wanted.decoded);
  });

  it('decodes every byte as the standard does', () => {
    const pcm = new Int16Array(256);
    decode(
      Uint8Array.from({ length: 256 }, (_, i) => i),
      pcm,
    );
    expect(sha256(new Uint8Array(pcm.buffer))).toBe(wanted.allDecoded);
  });

  it('encodes every sample as the standard does', () => {
    const encoded = new Uint8Array(65536);
    encode(
      Int16Array.from({ length: 65536 }, (_, i) => i - 32768),
      encoded,
    );
    expect(sha256(encoded)).toBe(wanted.allEncoded);
    expect(encoded[32768]).toBe(wanted.silence);
  });
});
