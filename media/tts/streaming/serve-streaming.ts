import { lazy } from '../../runtime/lazy.js';
import { type JobResult, serveJobs } from '../../runtime/serve-jobs.js';
import { OpenUtterances } from './open-utterances.js';
import type { StreamedChunk, StreamingJobs } from './streaming-jobs.js';
import type { VoiceEngine } from './voice-engine.js';

/** Id of the warm-up utterances: the client's ids start at 1. */
const WARM_UP_ID = 0;

/**
 * Answers the jobs of a neural voice, inside its worker. The first job loads the voice.
 * @param warmUps - utterances that are synthesised and discarded before the first caller
 */
export function serveStreaming<Utterance, Part>(
  load: () => Promise<VoiceEngine<Utterance, Part>>,
  warmUps: readonly Utterance[],
): void {
  const utterances = lazy(async () => new OpenUtterances(await load()));
  serveJobs<StreamingJobs<Utterance>>({
    warm: async () => {
      const open = await utterances.get();
      for (const utterance of warmUps) {
        let chunk = await open.begin(WARM_UP_ID, utterance);
        while (!chunk.isLast) chunk = await open.next(WARM_UP_ID);
      }
      return { output: null };
    },
    begin: async ({ id, utterance }) =>
      transferred(await (await utterances.get()).begin(id, utterance)),
    next: async ({ id }) => transferred(await (await utterances.get()).next(id)),
    cancel: async ({ id }) => {
      (await utterances.peek())?.cancel(id);
      return { output: null };
    },
    count: async () => ({ output: (await utterances.peek())?.count ?? 0 }),
  });
}

function transferred(chunk: StreamedChunk): JobResult<StreamedChunk> {
  return { output: chunk, transfer: [chunk.samples.buffer] };
}
