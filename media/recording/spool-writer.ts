import { closeSync, openSync, writeSync } from 'node:fs';
import { int16Of } from '../audio/pcm.js';
import { encodeRice } from './rice-codec.js';
import { type Leg, writeRecord } from './spool-record.js';

/** Samples of one leg with their position. */
export interface AudioChunk {
  readonly leg: Leg;
  /** Index of the first sample in the leg, counted from the start of the recording. */
  readonly at: number;
  /** Mono, at the rate of the leg; floats in −1…1. */
  readonly samples: Int16Array | Float32Array;
}

/** Sample rates of the two legs in Hz. */
export interface LegRates {
  readonly caller: number;
  readonly agent: number;
}

/** Maximum number of samples per record. */
const MAX_CHUNK_LENGTH = 65_536;

/**
 * Writes the audio of one call to a file. Each chunk is a record, so a crash loses at most the last chunk.
 * Positions without a record are silence.
 */
export class SpoolWriter {
  readonly #file: number;
  #isOpen = true;

  /** Opens the file, or creates it readable by its owner only. @param path - of the file */
  constructor(path: string, rates: LegRates) {
    this.#file = openSync(path, 'a', 0o600);
    try {
      this.#write([writeRecord({ kind: 'head', at: rates.caller, count: rates.agent })]);
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /** @param pieces - in the order of their positions within each leg */
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

  /** Closes the file; idempotent. @param durationMs - of the recording; undefined if it was aborted */
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

  /** Writes all records at once, so that only a disk error can split a record. */
  #write(records: readonly Buffer[]): void {
    const bytes = Buffer.concat(records);
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
  }
}

function asInt16(samples: Int16Array | Float32Array): Int16Array {
  return samples instanceof Int16Array ? samples : int16Of(samples);
}
