import type { VectorProducts } from '../../media/inference/vector-products.js';
import type { NearPassage } from './nearest-passages.js';
import type { NearestAsked, PassageVectors } from './vector-jobs.js';

/** The passages nearest to a vector, the best ones first; one of several vectors counts by its best. */
export async function nearestOf(
  products: Pick<VectorProducts, 'of'>,
  parts: readonly PassageVectors[],
  { query, limit }: NearestAsked,
): Promise<readonly NearPassage[]> {
  const best: NearPassage[] = [];
  for (const { ids, vectors } of parts) {
    const scores = await products.of(vectors, query);
    for (let i = 0; i < ids.length; ) {
      const id = ids[i]!;
      let score = -1;
      for (; ids[i] === id; i++) score = Math.max(score, scores[i]!);
      if (best.length === limit && score <= best[limit - 1]!.score) continue;
      const at = best.findIndex((other) => other.score < score);
      best.splice(at < 0 ? best.length : at, 0, { id, score });
      if (best.length > limit) best.pop();
    }
  }
  return best;
}

/** The parts and one more; those that are no larger are joined with it, so that there are few. */
export function withPart(
  parts: readonly PassageVectors[],
  part: PassageVectors,
): readonly PassageVectors[] {
  const last = parts.at(-1);
  if (!last || last.ids.length > part.ids.length) return [...parts, part];
  return withPart(parts.slice(0, -1), joined(last, part));
}

function joined(left: PassageVectors, right: PassageVectors): PassageVectors {
  const ids = new Float64Array(left.ids.length + right.ids.length);
  ids.set(left.ids);
  ids.set(right.ids, left.ids.length);
  const vectors = new Float32Array(left.vectors.length + right.vectors.length);
  vectors.set(left.vectors);
  vectors.set(right.vectors, left.vectors.length);
  return { ids, vectors };
}
