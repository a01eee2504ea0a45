import { MediaError } from '../errors.js';

/** A page holds at most this many lacing values. */
const MAX_SEGMENTS = 255;
/** The only stream of a file needs no unique number; a fixed one makes files repeatable. */
const SERIAL = 0x5041524c;

export type PageKind = 'first' | 'middle' | 'last';
const FLAGS: Readonly<Record<PageKind, number>> = { first: 0x02, middle: 0, last: 0x04 };

/** Writes the pages of an Ogg stream one by one. Source: RFC 3533. */
export class OggPages {
  #sequence = 0;

  /**
   * One page of whole packets, together at most 255 × 255 bytes.
   * @param granule where the page's last packet ends, in the codec's own units.
   */
  write(packets: readonly Uint8Array[], granule: number, kind: PageKind): Uint8Array {
    const lacing = packets.flatMap(lacingOf);
    if (lacing.length > MAX_SEGMENTS) {
      throw new MediaError('INTERNAL', 'An Ogg page holds 255 segments');
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

/** A packet's length in segments: any number of 255, then one that is less. */
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
