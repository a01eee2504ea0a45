import { serveJobs } from '../../media/inference/serve-jobs.js';
import { VectorProducts } from '../../media/inference/vector-products.js';
import { nearestOf, type VectorColumns, withPart } from './compare-vectors.js';
import type { VectorJobs } from './vector-jobs.js';

const sets = new Map<number, readonly VectorColumns[]>();
const opening = VectorProducts.open();
opening.catch(() => undefined); // told to who asks

// As urgent as the calls: a turn waits for it, and it is over in milliseconds.
serveJobs<VectorJobs>({
  add: ({ set, part }) => {
    sets.set(set, withPart(sets.get(set) ?? [], part));
    return { output: undefined };
  },
  drop: ({ set }) => {
    sets.delete(set);
    return { output: undefined };
  },
  nearest: async ({ set, ...asked }) => {
    const parts = sets.get(set);
    return { output: parts && (await nearestOf(await opening, parts, asked)) };
  },
});
