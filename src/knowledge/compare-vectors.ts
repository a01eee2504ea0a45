import type { NearPassage } from './nearest-passages.js';
import type { NearestAsked, PassageVectors } from './vector-jobs.js';

/** The passages nearest to a vector, the best ones first; one of several vectors counts by its best. */
export function nearestOf(
  parts: readonly PassageVectors[],
  { query, limit }: NearestAsked,
): readonly NearPassage[] {
  const best: NearPassage[] = [];
  for (const { ids, vectors } of parts) {
    for (let i = 0; i < ids.length; ) {
      const id = ids[i]!;
      let score = -1;
      for (; ids[i] === id; i++) score = Math.max(score, dot(vectors, i * query.length, query));
      if (best.length === limit && score <= best[limit - 1]!.score) continue;
      const at = best.findIndex((other) => other.score < score);
      best.splice(at < 0 ? best.length : at, 0, { id, score });
      if (best.length > limit) best.pop();
    }
  }
  return best;
}

/** Four sums side by side: each addition then need not wait for the one before it. */
function dot(vectors: Float32Array, from: number, query: Float32Array): number {
  const { length } = query;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let i = 0;
  for (; i + 3 < length; i += 4) {
    a += vectors[from + i]! * query[i]!;
    b += vectors[from + i + 1]! * query[i + 1]!;
    c += vectors[from + i + 2]! * query[i + 2]!;
    d += vectors[from + i + 3]! * query[i + 3]!;
  }
  for (; i < length; i++) a += vectors[from + i]! * query[i]!;
  return a + b + c + d;
}
