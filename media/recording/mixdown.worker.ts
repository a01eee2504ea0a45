import { MediaError } from '../errors.js';
import { serveJobs } from '../runtime/serve-jobs.js';
import { runAtLowestPriority } from '../runtime/thread-priority.js';
import { diskError } from './disk-errors.js';
import { Mixdown } from './mixdown.js';
import type { MixdownJobs } from './mixdown-thread.js';

const merges = new Map<number, Mixdown>();

runAtLowestPriority();
serveJobs<MixdownJobs>({
  open: async ({ id, options }) => {
    const merge = await Mixdown.open(options);
    merges.set(id, merge);
    return { output: { durationMs: merge.durationMs } };
  },
  step: ({ id, ms }) => {
    const merge = merges.get(id);
    if (!merge) throw new MediaError('WORKER_DIED', 'The merge died with its worker thread');
    return { output: { isDone: diskError(() => merge.step(ms)) } };
  },
  close: (id) => {
    merges.get(id)?.close();
    merges.delete(id);
    return { output: null };
  },
});
