import type { AudioChunk } from '../../../media/recording/spool-writer.js';

/** Where the sound of one call goes. Neither method may throw or wait: a call does not depend on them. */
export interface RecordingSink {
  /** @param pieces are the receiver's from now on; those of one leg come in the order of their places. */
  write(pieces: readonly AudioChunk[]): void;
  /** Media is closed: the recording is so long. Told once. */
  end(durationMs: number): void;
}
