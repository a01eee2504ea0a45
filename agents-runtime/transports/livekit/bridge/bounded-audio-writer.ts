import { audioFrame, gapFrame } from '../ipc-frames.js';

/** The callers' audio is dropped while more than this waits for the gateway, bytes: a second of 25 rooms. */
export const MAX_WAITING = 1_048_576;

/** The pipe to the gateway. */
export interface AudioPipe {
  readonly writableLength: number;
  write(frame: Buffer): unknown;
}

/**
 * Hands the callers' audio on to a gateway that may not keep up: what does not go is dropped and
 * counted, and a gap of the same length is told before what goes next.
 */
export class BoundedAudioWriter {
  readonly #line: AudioPipe;
  readonly #dropped = new Map<number, number>();

  constructor(line: AudioPipe) {
    this.#line = line;
  }

  push(room: number, samples: Int16Array): void {
    const missing = this.#dropped.get(room) ?? 0;
    if (this.#line.writableLength > MAX_WAITING) {
      this.#dropped.set(room, missing + samples.length);
      return;
    }
    if (missing > 0) this.#line.write(gapFrame(room, missing));
    this.#dropped.delete(room);
    this.#line.write(audioFrame(room, samples));
  }

  forget(room: number): void {
    this.#dropped.delete(room);
  }
}
