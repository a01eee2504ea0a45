import { audioFrame, gapFrame } from '../ipc-frames.js';

/** Unread bytes above which the callers' audio is dropped: one second of 25 rooms. */
export const MAX_WAITING = 1_048_576;

/** The pipe to the gateway. */
export interface AudioPipe {
  readonly writableLength: number;
  write(frame: Buffer): unknown;
}

/**
 * Writes the callers' audio to the gateway. If the gateway reads too slowly, audio is dropped, and a gap of the
 * same length is sent before the next audio.
 */
export class BoundedAudioWriter {
  readonly #pipe: AudioPipe;
  readonly #dropped = new Map<number, number>();

  constructor(pipe: AudioPipe) {
    this.#pipe = pipe;
  }

  push(room: number, samples: Int16Array): void {
    const missing = this.#dropped.get(room) ?? 0;
    if (this.#pipe.writableLength > MAX_WAITING) {
      this.#dropped.set(room, missing + samples.length);
      return;
    }
    if (missing > 0) this.#pipe.write(gapFrame(room, missing));
    this.#dropped.delete(room);
    this.#pipe.write(audioFrame(room, samples));
  }

  forget(room: number): void {
    this.#dropped.delete(room);
  }
}
