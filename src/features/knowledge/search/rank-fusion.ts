import type { WordHit } from './full-text-search.repository.js';
import type { NearPassage } from './vector-index.js';

/** Tolerance for shares that were summed in different order. */
const EPSILON = 1e-9;
/**
 * Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet" (2009), who
 * take 60 for long lists. 10 finds more where only the first results count (retrieval test).
 */
const RANK_OFFSET = 10;

/** A passage with its fused score. */
interface FusedHit {
  readonly id: number;
  readonly score: number;
  readonly similarity: number | undefined;
  readonly wordShare: number;
}

/**
 * Merges both lists by the sum of their rank scores, best first. The full-text score is weighted with the
 * matched share of the question. Passages with equal shares have the same rank.
 */
export function fuseRankings(
  near: readonly NearPassage[],
  shared: readonly WordHit[],
): readonly FusedHit[] {
  const byId = new Map<number, FusedHit>();
  near.forEach(({ id, score: similarity }, rank) => {
    byId.set(id, { id, score: rankScore(rank), similarity, wordShare: 0 });
  });
  for (let from = 0; from < shared.length; ) {
    const { share: wordShare } = shared[from]!;
    const next = shared.findIndex(({ share }) => share < wordShare - EPSILON);
    const to = next < 0 ? shared.length : next;
    const more = wordShare * rankScore((from + to - 1) / 2);
    for (const { id } of shared.slice(from, to)) {
      const { score = 0, similarity } = byId.get(id) ?? {};
      byId.set(id, { id, score: score + more, similarity, wordShare });
    }
    from = to;
  }
  return [...byId.values()].sort((a, b) => b.score - a.score || a.id - b.id);
}

function rankScore(rank: number): number {
  return 1 / (RANK_OFFSET + rank + 1);
}
