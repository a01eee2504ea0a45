import { toFloat32 } from '../audio/pcm.js';
import { SpoolReader, samplesOf } from './spool-reader.js';
import type { Leg } from './spool-record.js';

/** Reads one leg of a spool as a continuous stream of samples, with silence for missing audio. */
export class LegReader {
  readonly #reader: SpoolReader;
  readonly #leg: Leg;
  #samples: Int16Array = new Int16Array(0);
  #samplesAt = 0;
  #isAtEnd = false;
  #at = 0;

  /** Opens the spool. The caller closes it. @param path - of the spool */
  constructor(path: string, leg: Leg) {
    this.#reader = new SpoolReader(path);
    this.#leg = leg;
  }

  /** Fills `output` with the next samples: −1…1, at the rate of the leg; silence after the end. */
  read(output: Float32Array): void {
    output.fill(0);
    const end = this.#at + output.length;
    while (!this.#isAtEnd) {
      const pieceEnd = this.#samplesAt + this.#samples.length;
      const from = Math.max(this.#at, this.#samplesAt);
      const to = Math.min(end, pieceEnd);
      if (from < to) {
        const part = this.#samples.subarray(from - this.#samplesAt, to - this.#samplesAt);
        toFloat32(part, output.subarray(from - this.#at));
      }
      if (pieceEnd >= end) break;
      this.#nextPiece();
    }
    this.#at = end;
  }

  close(): void {
    this.#reader.close();
  }

  #nextPiece(): void {
    let record = this.#reader.next();
    while (record && record.kind !== this.#leg) record = this.#reader.next();
    if (!record) {
      this.#isAtEnd = true;
      return;
    }
    this.#samples = samplesOf(record);
    this.#samplesAt = record.at;
  }
}
