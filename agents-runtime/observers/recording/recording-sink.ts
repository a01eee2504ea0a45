import type { AudioChunk } from '../../../media/recording/spool-writer.js';

/** The port for the recording of one call. The methods must neither throw nor wait. */
export interface RecordingSink {
  /** @param chunks - owned by the sink; the chunks of a leg are in the order of time */
  write(chunks: readonly AudioChunk[]): void;
  /** Media is closed. Called once. */
  end(durationMs: number): void;
}
