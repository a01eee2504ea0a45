import type { Emit } from '../audio/stage.js';
import type { Encoder } from './encoder.js';
import { Pcm16Encoder } from './pcm16.js';

/** Length of the header in bytes. */
export const WAV_HEADER_LENGTH = 44;
/** Value of the size fields for an unknown length. Players then read to the end of the stream. */
const UNKNOWN = 0xffffffff;

/**
 * Returns the header of a mono 16-bit WAV file. Source: Microsoft and IBM, Multimedia Programming Interface
 * and Data Specifications 1.0.
 * @param sampleRate - Hz
 * @param fileLength - bytes, including the header; absent or from 4 GiB on, the size fields say "unknown"
 */
export function wavHeader(sampleRate: number, fileLength = UNKNOWN): Buffer {
  const isKnown = fileLength < UNKNOWN;
  const header = Buffer.alloc(WAV_HEADER_LENGTH);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(isKnown ? fileLength - 8 : UNKNOWN, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(isKnown ? fileLength - WAV_HEADER_LENGTH : UNKNOWN, 40);
  return header;
}

/** A mono 16-bit WAV file of unknown length. The header is emitted before the first samples. */
export class WavEncoder implements Encoder {
  readonly #pcm = new Pcm16Encoder();
  #header: Buffer | undefined;

  /** @param sampleRate - Hz */
  constructor(sampleRate: number) {
    this.#header = wavHeader(sampleRate);
  }

  push(samples: Float32Array, emit: Emit<Uint8Array>): void {
    this.#emitHeader(emit);
    this.#pcm.push(samples, emit);
  }

  flush(emit: Emit<Uint8Array>): void {
    this.#emitHeader(emit);
  }

  #emitHeader(emit: Emit<Uint8Array>): void {
    if (!this.#header) return;
    emit(this.#header);
    this.#header = undefined;
  }
}
