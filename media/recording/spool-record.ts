import { crc32 } from 'node:zlib';

/** The two sides of a call. */
export type Leg = 'caller' | 'agent';

/** Start mark of each record: `PRL1`. */
export const MAGIC = 0x314c5250;
/** Bytes before the payload of a record. */
export const HEADER_LENGTH = 28;
/** Maximum payload of a valid record in bytes; a larger one is damage. */
export const MAX_RECORD_PAYLOAD_BYTES = 4 * 1024 * 1024;

const KINDS = ['head', 'caller', 'agent', 'end'] as const;
type RecordKind = (typeof KINDS)[number];

/**
 * Header of a record. Its kind defines `at` and `count`:
 * - `caller`, `agent`: index of the first sample in the leg, number of samples
 * - `head`: sample rates of the caller's and the agent's leg in Hz
 * - `end`: total duration in ms, unused
 */
export interface RecordHeader {
  readonly kind: RecordKind;
  readonly at: number;
  readonly count: number;
  /** Bytes. */
  readonly payloadLength: number;
  /** CRC-32 of the header up to the checksum, and of the payload. */
  readonly checksum: number;
}

/**
 * Encodes one record. It has a checksum and is readable without other records.
 * @param payload - at most `MAX_RECORD_PAYLOAD_BYTES`; default: empty
 */
export function writeRecord(
  { kind, at, count }: Pick<RecordHeader, 'kind' | 'at' | 'count'>,
  payload: Uint8Array = new Uint8Array(0),
): Buffer {
  const record = Buffer.allocUnsafe(HEADER_LENGTH + payload.length);
  record.writeUInt32LE(MAGIC, 0);
  record.writeUInt32LE(KINDS.indexOf(kind), 4);
  record.writeDoubleLE(at, 8);
  record.writeUInt32LE(count, 16);
  record.writeUInt32LE(payload.length, 20);
  record.set(payload, HEADER_LENGTH);
  record.writeUInt32LE(checksumOf(record.subarray(0, HEADER_LENGTH), payload), 24);
  return record;
}

/** Reads the header at `offset`, where `HEADER_LENGTH` bytes must exist. Returns undefined if there is no valid one. */
export function readHeader(bytes: Buffer, offset: number): RecordHeader | undefined {
  if (bytes.readUInt32LE(offset) !== MAGIC) return undefined;
  const kind = KINDS[bytes.readUInt32LE(offset + 4)];
  const at = bytes.readDoubleLE(offset + 8);
  const count = bytes.readUInt32LE(offset + 16);
  const payloadLength = bytes.readUInt32LE(offset + 20);
  const isSound = kind === 'caller' || kind === 'agent';
  const isSane =
    at >= 0 &&
    payloadLength <= MAX_RECORD_PAYLOAD_BYTES &&
    (!isSound || count <= MAX_RECORD_PAYLOAD_BYTES * 8);
  if (kind === undefined || !isSane) return undefined;
  return { kind, at, count, payloadLength, checksum: bytes.readUInt32LE(offset + 24) };
}

/** Computes the CRC-32 of a header up to its checksum, and of the payload. */
export function checksumOf(header: Uint8Array, payload: Uint8Array): number {
  return crc32(payload, crc32(header.subarray(0, 24)));
}
