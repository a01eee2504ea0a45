import type { DotProducts } from '../../../../media/embeddings/dot-products.js';
import type { NearPassage } from './vector-index.js';

/** Concatenated vectors of one length, and the passage of each. */
export interface PassageVectors {
  /** Vectors of one passage are adjacent and in one part. */
  readonly ids: Float64Array<ArrayBuffer>;
  readonly vectors: Float32Array<ArrayBuffer>;
}

interface NearestOptions {
  readonly query: Float32Array;
  readonly limit: number;
}

/** Column-major vectors for the comparison. */
export interface VectorColumns {
  /** The passage of each vector. Vectors of one passage are adjacent. */
  readonly ids: Float64Array<ArrayBuffer>;
  readonly columns: Float32Array<ArrayBuffer>;
}

/** The passages nearest to a vector, best first. A passage counts with its best vector. */
export async function findNearest(
  products: Pick<DotProducts, 'of'>,
  parts: readonly VectorColumns[],
  { query, limit }: NearestOptions,
): Promise<readonly NearPassage[]> {
  const best: NearPassage[] = [];
  for (const { ids, columns } of parts) {
    const scores = await products.of(columns, query);
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

/** Appends a part. Joins it with smaller parts, so that there are few. */
export function appendPart(
  parts: readonly VectorColumns[],
  part: PassageVectors,
): readonly VectorColumns[] {
  return part.ids.length === 0 ? parts : withColumns(parts, columnsOf(part));
}

function withColumns(
  parts: readonly VectorColumns[],
  part: VectorColumns,
): readonly VectorColumns[] {
  const last = parts.at(-1);
  if (!last || last.ids.length > part.ids.length) return [...parts, part];
  return withColumns(parts.slice(0, -1), joinColumns(last, part));
}

function columnsOf({ ids, vectors }: PassageVectors): VectorColumns {
  const count = ids.length;
  const dimensions = vectors.length / count;
  const columns = new Float32Array(vectors.length);
  for (let i = 0; i < count; i++) {
    for (let d = 0; d < dimensions; d++) columns[d * count + i] = vectors[i * dimensions + d]!;
  }
  return { ids, columns };
}

function joinColumns(left: VectorColumns, right: VectorColumns): VectorColumns {
  const [before, after] = [left.ids.length, right.ids.length];
  const count = before + after;
  const ids = new Float64Array(count);
  ids.set(left.ids);
  ids.set(right.ids, before);
  const columns = new Float32Array(left.columns.length + right.columns.length);
  for (let d = 0; d * count < columns.length; d++) {
    columns.set(left.columns.subarray(d * before, (d + 1) * before), d * count);
    columns.set(right.columns.subarray(d * after, (d + 1) * after), d * count + before);
  }
  return { ids, columns };
}
