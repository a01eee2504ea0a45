import { serveJobs } from '../../media/inference/serve-jobs.js';
import { nearestOf } from './compare-vectors.js';
import type { PassageVectors, VectorJobs } from './vector-jobs.js';

const sets = new Map<number, PassageVectors[]>();

// As urgent as the calls: a turn waits for it, and it is over in milliseconds.
serveJobs<VectorJobs>({
  add: ({ set, part }) => {
    const parts = sets.get(set);
    if (parts) parts.push(part);
    else sets.set(set, [part]);
    return { output: undefined };
  },
  drop: ({ set }) => {
    sets.delete(set);
    return { output: undefined };
  },
  nearest: ({ set, ...asked }) => {
    const parts = sets.get(set);
    return { output: parts && nearestOf(parts, asked) };
  },
});
