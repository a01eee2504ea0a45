import type { MixdownOptions } from './mixdown.js';
import type { AudioChunk, LegRates } from './spool-writer.js';

/** What the thread of the spools does; spools are told apart by ids of the asking side. */
export type SpoolJobs = {
  readonly open: {
    readonly input: { readonly id: number; readonly path: string; readonly rates: LegRates };
    readonly output: null;
  };
  readonly append: {
    readonly input: { readonly id: number; readonly pieces: readonly AudioChunk[] };
    readonly output: null;
  };
  readonly close: {
    readonly input: { readonly id: number; readonly durationMs?: number | undefined };
    readonly output: null;
  };
  /** How long (ms) the spool in a file is. */
  readonly measure: { readonly input: string; readonly output: number };
};

/** What the thread of the merges does, a slice at a time. */
export type MixdownJobs = {
  readonly open: {
    readonly input: { readonly id: number; readonly options: MixdownOptions };
    readonly output: { readonly durationMs: number };
  };
  readonly step: {
    readonly input: { readonly id: number; readonly ms: number };
    readonly output: { readonly isDone: boolean };
  };
  readonly close: { readonly input: number; readonly output: null };
};
