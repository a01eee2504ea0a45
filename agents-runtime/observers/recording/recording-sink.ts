import type { AudioChunk } from '../../../media/recording/spool-writer.js';

/** The port for the recording of one call. The methods must neither throw nor wait. */
export interface RecordingSink {
  /** @param pieces - owned by the sink; the chunks of a leg are in the order of time */
  write(pieces: readonly AudioChunk[]): void;
  /** Media is closed. Called once. */
  end(durationMs: number): void;
}
