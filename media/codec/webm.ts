import { MediaError } from '../errors.js';

/** Elements that contain others: Segment, Cluster, BlockGroup. Source: RFC 9559, §5.1. */
const HOLDERS = new Set([0x18538067, 0x1f43b675, 0xa0]);
/** Elements that contain a packet: SimpleBlock, Block. Source: RFC 9559, §5.1.3. */
const BLOCKS = new Set([0xa3, 0xa1]);
/** The first element of every file. Source: RFC 8794, §11.2.1. */
const EBML = 0x1a45dfa3;
/** Bytes of a block's time and flags, after the number of its track. */
const BLOCK_HEAD = 3;
/** Flag of a block with several packets. Source: RFC 9559, §10.3. */
const LACED = 0x06;

/**
 * Returns the packets of a WebM file with one track, such as a microphone recording of a browser. Blocks
 * with several packets and an incomplete packet at the end are skipped.
 * @returns views of the input
 * @throws MediaError INVALID_INPUT if the input is not WebM
 */
export function webmPackets(bytes: Uint8Array): Uint8Array[] {
  const packets: Uint8Array[] = [];
  let at = 0;
  while (at < bytes.length) {
    const id = readNumber(bytes, at, false);
    const size = id && readNumber(bytes, id.end, true);
    if (at === 0 && id?.value !== EBML)
      throw new MediaError('INVALID_INPUT', 'The file is not WebM');
    if (!id || !size) break;
    if (HOLDERS.has(id.value)) {
      at = size.end;
      continue;
    }
    const end = size.end + size.value;
    if (end > bytes.length) break;
    if (BLOCKS.has(id.value)) {
      const packet = packetOf(bytes.subarray(size.end, end));
      if (packet) packets.push(packet);
    }
    at = end;
  }
  return packets;
}

function packetOf(block: Uint8Array): Uint8Array | undefined {
  const track = readNumber(block, 0, true);
  if (!track || track.end + BLOCK_HEAD >= block.length) return undefined;
  const flags = block[track.end + BLOCK_HEAD - 1]!;
  return (flags & LACED) === 0 ? block.subarray(track.end + BLOCK_HEAD) : undefined;
}

/**
 * Reads a variable-size integer. The leading zeros of its first byte give its length. Source: RFC 8794, §4.
 * @param isSize - removes the length marker, which is part of the value only in identifiers
 */
function readNumber(
  bytes: Uint8Array,
  at: number,
  isSize: boolean,
): { readonly value: number; readonly end: number } | undefined {
  const first = bytes[at];
  if (first === undefined || first === 0) return undefined;
  const length = Math.clz32(first) - 23;
  const end = at + length;
  if (end > bytes.length) return undefined;
  let value = isSize ? first & (0xff >> length) : first;
  for (let i = at + 1; i < end; i++) value = value * 256 + bytes[i]!;
  return { value, end };
}
