import { MediaError } from '../errors.js';
import { serveJobs } from '../runtime/serve-jobs.js';
import { runAtLowestPriority } from '../runtime/thread-priority.js';
import { diskError } from './disk-errors.js';
import { Mixdown } from './mixdown.js';
import type { MixdownJobs } from './mixdown-thread.js';

const mixdowns = new Map<number, Mixdown>();

runAtLowestPriority();
serveJobs<MixdownJobs>({
  open: async ({ id, options }) => {
    const mixdown = await Mixdown.open(options);
    mixdowns.set(id, mixdown);
    return { output: { durationMs: mixdown.durationMs } };
  },
  step: ({ id, ms }) => {
    const mixdown = mixdowns.get(id);
    if (!mixdown)
      throw new MediaError('WORKER_DIED', 'The mixdown was lost with its worker thread');
    return { output: { isDone: diskError(() => mixdown.step(ms)) } };
  },
  close: (id) => {
    mixdowns.get(id)?.close();
    mixdowns.delete(id);
    return { output: null };
  },
});
