import { MediaError } from '../errors.js';
import { runInBackground } from '../inference/background-thread.js';
import { serveJobs } from '../inference/serve-jobs.js';
import { fileFault } from './file-fault.js';
import { Merge } from './merge.js';
import type { MergeJobs } from './recording-jobs.js';

const merges = new Map<number, Merge>();

runInBackground();
serveJobs<MergeJobs>({
  open: async ({ id, options }) => {
    const merge = await Merge.open(options);
    merges.set(id, merge);
    return { output: { durationMs: merge.durationMs } };
  },
  step: ({ id, ms }) => {
    const merge = merges.get(id);
    if (!merge) throw new MediaError('WORKER_DIED', 'The merge died with its worker thread');
    return { output: { isDone: fileFault(() => merge.step(ms)) } };
  },
  close: (id) => {
    merges.get(id)?.close();
    merges.delete(id);
    return { output: null };
  },
});
