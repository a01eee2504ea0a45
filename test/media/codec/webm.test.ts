import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { webmPackets } from '../../../media/codec/webm.js';
import { MediaError } from '../../../media/errors.js';
import '../../support/harness/process/property-seed.js';

const UNKNOWN_SIZE = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
const EBML = [0x1a, 0x45, 0xdf, 0xa3];

/** Elements as browsers write them: segment and clusters have no size. */
function element(id: readonly number[], content: readonly number[] | 'open'): number[] {
  if (content === 'open') return [...id, ...UNKNOWN_SIZE];
  const { length } = content;
  const size = length < 127 ? [0x80 | length] : [0x40 | (length >> 8), length & 0xff];
  return [...id, ...size, ...content];
}
const block = (packet: readonly number[]) => element([0xa3], [0x81, 0x00, 0x10, 0x80, ...packet]);

function file(clusters: readonly (readonly (readonly number[])[])[]): Uint8Array {
  return Uint8Array.from([
    ...element(EBML, [0x42, 0x86, 0x81, 0x01]),
    ...element([0x18, 0x53, 0x80, 0x67], 'open'),
    ...element([0x15, 0x49, 0xa9, 0x66], [1, 2, 3]),
    ...clusters.flatMap((packets) => [
      ...element([0x1f, 0x43, 0xb6, 0x75], 'open'),
      ...element([0xe7], [0]),
      ...packets.flatMap(block),
    ]),
  ]);
}

const packet = fc.array(fc.nat({ max: 255 }), { minLength: 1, maxLength: 300 });

describe('WebM reader', () => {
  it('returns every packet of every cluster', () => {
    fc.assert(
      fc.property(fc.array(fc.array(packet, { maxLength: 5 }), { maxLength: 5 }), (clusters) => {
        expect(webmPackets(file(clusters)).map((found) => [...found])).toEqual(clusters.flat());
      }),
    );
  });

  it('ignores a truncated end', () => {
    const whole = file([
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
    ]);
    expect(webmPackets(whole.subarray(0, -1)).map((found) => [...found])).toEqual([[1, 2, 3]]);
  });

  it('terminates for any bytes and rejects other formats', () => {
    expect(() => webmPackets(Buffer.from('RIFF'))).toThrow(MediaError);
    expect(webmPackets(new Uint8Array(0))).toEqual([]);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (rest) => {
        webmPackets(Uint8Array.from([...element(EBML, []), ...rest]));
      }),
    );
  });
});
