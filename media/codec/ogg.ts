import { MediaError } from '../errors.js';

/** Maximum number of lacing values of a page. */
const MAX_SEGMENTS = 255;
/** Number of the only stream of a file. It is constant, so that equal audio gives equal files. */
const SERIAL = 0x5041524c;

/** Position of a page in its stream. */
export type PageKind = 'first' | 'middle' | 'last';
const FLAGS: Readonly<Record<PageKind, number>> = { first: 0x02, middle: 0, last: 0x04 };

/** Writes the pages of an Ogg stream one by one. Source: RFC 3533. */
export class OggPages {
  #sequence = 0;

  /**
   * Returns one page.
   * @param packets - whole packets, with at most 255 lacing values together
   * @param granule - end of the page's last packet, in units of the codec (Opus: samples at 48 kHz)
   * @throws MediaError INTERNAL for more packets than fit
   */
  write(packets: readonly Uint8Array[], granule: number, kind: PageKind): Uint8Array {
    const lacing = packets.flatMap(lacingOf);
    if (lacing.length > MAX_SEGMENTS) {
      throw new MediaError(
        'INTERNAL',
        `An Ogg page has at most ${MAX_SEGMENTS} segments; got ${lacing.length}`,
      );
    }
    const headerLength = 27 + lacing.length;
    const length = packets.reduce((sum, packet) => sum + packet.length, headerLength);
    const page = Buffer.alloc(length);
    page.write('OggS', 0, 'latin1');
    page.writeUInt8(FLAGS[kind], 5);
    page.writeBigUInt64LE(BigInt(granule), 6);
    page.writeUInt32LE(SERIAL, 14);
    page.writeUInt32LE(this.#sequence++, 18);
    page.writeUInt8(lacing.length, 26);
    page.set(lacing, 27);
    let at = headerLength;
    for (const packet of packets) {
      page.set(packet, at);
      at += packet.length;
    }
    page.writeUInt32LE(oggCrc(page), 22);
    return page;
  }
}

/** The length of a packet as lacing values: any number of 255s, then a smaller one. */
function lacingOf(packet: Uint8Array): number[] {
  return [...Array<number>(Math.floor(packet.length / 255)).fill(255), packet.length % 255];
}

/** CRC-32 with the polynomial 0x04c11db7, not reflected, from 0. */
function oggCrc(bytes: Uint8Array): number {
  let crc = 0;
  for (let i = 0; i < bytes.length; i++) {
    crc = (crc << 8) ^ CRC_TABLE[(crc >>> 24) ^ bytes[i]!]!;
  }
  return crc >>> 0;
}

const CRC_TABLE = Int32Array.from({ length: 256 }, (_, index) => {
  let crc = index << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc;
});
