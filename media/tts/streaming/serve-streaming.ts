import { lazy } from '../../runtime/lazy.js';
import { type JobResult, serveJobs } from '../../runtime/serve-jobs.js';
import type { StreamedChunk, StreamingJobs } from './streaming-jobs.js';

/** Of utterances that nobody hears: client ids count up from 1. */
export const WARM_UP_ID = 0;

/** A voice inside its thread. */
export interface StreamingEngine<Utterance> {
  /** Utterances of which it keeps something. */
  readonly open: number;
  begin(utterance: Utterance): Promise<StreamedChunk>;
  next(id: number): Promise<StreamedChunk>;
  cancel(id: number): void;
}

/**
 * Answers the jobs of a neural voice, inside its worker. It is loaded with the first job.
 * @param warmUps what it says to itself before the first caller comes; their id is `WARM_UP_ID`.
 */
export function serveStreaming<Utterance extends { readonly id: number }>(
  load: () => Promise<StreamingEngine<Utterance>>,
  warmUps: readonly Utterance[],
): void {
  const engine = lazy(load);
  serveJobs<StreamingJobs<Utterance>>({
    warm: async () => {
      const voice = await engine.get();
      for (const utterance of warmUps) {
        let piece = await voice.begin(utterance);
        while (!piece.isLast) piece = await voice.next(WARM_UP_ID);
      }
      return { output: null };
    },
    begin: async (utterance) => handOver(await (await engine.get()).begin(utterance)),
    next: async ({ id }) => handOver(await (await engine.get()).next(id)),
    cancel: async ({ id }) => {
      (await engine.peek())?.cancel(id);
      return { output: null };
    },
    count: async () => ({ output: (await engine.peek())?.open ?? 0 }),
  });
}

function handOver(piece: StreamedChunk): JobResult<StreamedChunk> {
  return { output: piece, transfer: [piece.samples.buffer] };
}
