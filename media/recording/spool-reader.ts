import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { MediaError } from '../errors.js';
import { decodeRice } from './rice-codec.js';
import {
  checksumOf,
  HEADER_LENGTH,
  MAGIC,
  MAX_RECORD_PAYLOAD_BYTES,
  type RecordHeader,
  readHeader,
} from './spool-record.js';
import type { LegRates } from './spool-writer.js';

const CHUNK = 128 * 1024;
const NOTHING = new Uint8Array(0);
const MAGIC_BYTES = Buffer.alloc(4);
MAGIC_BYTES.writeUInt32LE(MAGIC);

/** A record with a valid checksum. */
export interface SpoolRecord extends RecordHeader {
  readonly payload: Uint8Array;
}

/** Summary of a spool. Reading it decompresses no samples. */
export interface SpoolSummary {
  readonly rates: LegRates;
  readonly durationMs: number;
  /** The recording was closed. If false, its process died, and `durationMs` is the end of the last samples. */
  readonly isWhole: boolean;
}

/** Reads a spool from its start, one record at a time. Incomplete and damaged records are skipped. */
export class SpoolReader {
  readonly #file: number;
  readonly #size: number;
  #buffer: Buffer = Buffer.alloc(0);
  /** Offset of the buffer in the file, and offset of the next record in the buffer. */
  #base = 0;
  #at = 0;
  #damagedBytes = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'r');
    this.#size = fstatSync(this.#file).size;
  }

  /** Number of skipped bytes, which belong to no complete record. */
  get damagedBytes(): number {
    return this.#damagedBytes;
  }

  /** Returns the next complete record, undefined at the end. The payload is valid until the next call. */
  next(): SpoolRecord | undefined {
    while (this.#has(HEADER_LENGTH)) {
      const header = readHeader(this.#buffer, this.#at);
      const record = header && this.#record(header);
      if (record) return record;
      this.#skip();
    }
    this.#damagedBytes += this.#size - this.#base - this.#at;
    this.#at = this.#buffer.length;
    this.#base = this.#size - this.#at;
    return undefined;
  }

  /** Returns the record `end` with the total duration, if the file ends with one. */
  last(): RecordHeader | undefined {
    const bytes = Buffer.alloc(HEADER_LENGTH);
    if (this.#size < HEADER_LENGTH) return undefined;
    readSync(this.#file, bytes, 0, HEADER_LENGTH, this.#size - HEADER_LENGTH);
    const header = readHeader(bytes, 0);
    const isEnd = header?.kind === 'end' && checksumOf(bytes, NOTHING) === header.checksum;
    return isEnd ? header : undefined;
  }

  close(): void {
    closeSync(this.#file);
  }

  #record(header: RecordHeader): SpoolRecord | undefined {
    const length = HEADER_LENGTH + header.payloadLength;
    if (!this.#has(length)) return undefined;
    const start = this.#buffer.subarray(this.#at, this.#at + HEADER_LENGTH);
    const payload = this.#buffer.subarray(this.#at + HEADER_LENGTH, this.#at + length);
    if (checksumOf(start, payload) !== header.checksum) return undefined;
    this.#at += length;
    return { ...header, payload };
  }

  /** Advances to the next possible start of a record. */
  #skip(): void {
    const found = this.#buffer.indexOf(MAGIC_BYTES, this.#at + 1);
    // A start mark may be cut off by the end of the buffer.
    const to = found < 0 ? Math.max(this.#at + 1, this.#buffer.length - 3) : found;
    this.#damagedBytes += to - this.#at;
    this.#at = to;
  }

  /** Reads until the buffer has `length` more bytes. Returns false if the file has fewer. */
  #has(length: number): boolean {
    if (this.#at + length <= this.#buffer.length) return true;
    if (this.#base + this.#at + length > this.#size) return false;
    const rest = this.#buffer.subarray(this.#at);
    const larger = Buffer.allocUnsafe(
      Math.min(Math.max(length, rest.length + CHUNK), MAX_RECORD_PAYLOAD_BYTES + 2 * CHUNK),
    );
    rest.copy(larger);
    const place = this.#base + this.#at;
    const read = readSync(
      this.#file,
      larger,
      rest.length,
      larger.length - rest.length,
      place + rest.length,
    );
    this.#buffer = larger.subarray(0, rest.length + read);
    this.#base = place;
    this.#at = 0;
    return length <= this.#buffer.length;
  }
}

/**
 * Reads the sample rates and the duration of a spool.
 * @throws MediaError INVALID_INPUT if no record is readable
 */
export function summariseSpool(path: string): SpoolSummary {
  const reader = new SpoolReader(path);
  try {
    const head = reader.next();
    if (head?.kind !== 'head') {
      throw new MediaError('INVALID_INPUT', 'The spool has no readable header record');
    }
    const rates: LegRates = { caller: head.at, agent: head.count };
    const endMs = reader.last()?.at;
    if (endMs !== undefined) return { rates, durationMs: endMs, isWhole: true };
    let durationMs = 0;
    for (let record = reader.next(); record; record = reader.next()) {
      if (record.kind !== 'caller' && record.kind !== 'agent') continue;
      const soundMs = ((record.at + record.count) * 1000) / rates[record.kind];
      durationMs = Math.max(durationMs, soundMs);
    }
    return { rates, durationMs, isWhole: false };
  } finally {
    reader.close();
  }
}

/**
 * Decompresses the 16-bit samples of an audio record.
 * @throws MediaError INVALID_INPUT for an incomplete payload
 */
export function samplesOf(record: SpoolRecord): Int16Array {
  const samples = new Int16Array(record.count);
  decodeRice(record.payload, samples);
  return samples;
}
