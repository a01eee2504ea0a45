import { closeSync, openSync, writeSync } from 'node:fs';
import { int16Of } from '../audio/pcm.js';
import { encodeRice } from './rice-codec.js';
import { type Leg, writeRecord } from './spool-record.js';

/** A stretch of sound in its place. */
export interface AudioChunk {
  readonly leg: Leg;
  /** The place of its first sample in the leg, from the recording's zero. */
  readonly at: number;
  readonly samples: Int16Array | Float32Array;
}

/** Hz of the two legs. */
export interface LegRates {
  readonly caller: number;
  readonly agent: number;
}

/** So many samples at most make one record. */
const MAX_CHUNK_LENGTH = 65_536;

/**
 * Writes the sound of one call to a file as it comes: a record for each piece, so that whatever ends
 * the process costs the last piece at most. Sound that is not there is silence.
 */
export class SpoolWriter {
  readonly #file: number;
  #isOpen = true;

  constructor(path: string, rates: LegRates) {
    this.#file = openSync(path, 'a', 0o600);
    try {
      this.#write([writeRecord({ kind: 'head', at: rates.caller, count: rates.agent })]);
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /** Pieces of one leg come in the order of their places. */
  append(pieces: readonly AudioChunk[]): void {
    const records: Buffer[] = [];
    for (const { leg, at, samples } of pieces) {
      for (let from = 0; from < samples.length; from += MAX_CHUNK_LENGTH) {
        const part = asInt16(samples.subarray(from, from + MAX_CHUNK_LENGTH));
        records.push(
          writeRecord({ kind: leg, at: at + from, count: part.length }, encodeRice(part)),
        );
      }
    }
    this.#write(records);
  }

  /** @param durationMs of the whole; left out when the recording broke off. */
  close(durationMs?: number): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      if (durationMs !== undefined) {
        this.#write([writeRecord({ kind: 'end', at: durationMs, count: 0 })]);
      }
    } finally {
      closeSync(this.#file);
    }
  }

  /** One write for all, so that a record is cut by nothing but the disk. */
  #write(records: readonly Buffer[]): void {
    const bytes = Buffer.concat(records);
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
  }
}

function asInt16(samples: Int16Array | Float32Array): Int16Array {
  return samples instanceof Int16Array ? samples : int16Of(samples);
}
