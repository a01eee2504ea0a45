import type { WordHit } from './full-text-search.repository.js';
import type { NearPassage } from './vector-index.js';

/** Of two shares of words: sums in another order differ a little. */
const EPSILON = 1e-9;
/**
 * Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet" (2009), who
 * take 60 for long lists; where only the first few count, ten finds more (the retrieval test).
 */
const RANK_OFFSET = 10;

/** What was merged, by id. */
interface FusedHit {
  readonly id: number;
  readonly score: number;
  readonly similarity: number | undefined;
  readonly wordShare: number;
}

/**
 * The lists' entries by the sum of what their ranks are worth. Words count by the share of the
 * question that they are: one common word is no answer. Those that share the same words share a rank.
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
