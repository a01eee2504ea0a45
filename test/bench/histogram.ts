/** Bucket counts of a histogram of `/metrics`, by ascending upper bound. */
export type Counts = ReadonlyMap<number, number>;

/** The sum of all series of the histogram. */
export function countsOf(metrics: string, name: string): Counts {
  const counts = new Map<number, number>();
  const line = new RegExp(`^${name}_bucket\\{.*?le="([^"]+)".*?\\} (\\d+)`, 'gm');
  for (const [, bound, count] of metrics.matchAll(line)) {
    const le = bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound);
    counts.set(le, (counts.get(le) ?? 0) + Number(count));
  }
  return new Map([...counts].sort(([a], [b]) => a - b));
}

/**
 * The smallest bucket bound that covers `share` of the observations between two readings; NaN
 * without observations.
 */
export function boundOf(share: number, before: Counts, after: Counts): number {
  const all = after.get(Number.POSITIVE_INFINITY)! - (before.get(Number.POSITIVE_INFINITY) ?? 0);
  if (!(all > 0)) return Number.NaN;
  for (const [bound, count] of after) {
    if (count - (before.get(bound) ?? 0) >= share * all) return bound;
  }
  return Number.POSITIVE_INFINITY;
}

/** The quantile of the observations, interpolated within its bucket; NaN without observations. */
export function quantileOf(share: number, counts: Counts): number {
  const all = counts.get(Number.POSITIVE_INFINITY) ?? 0;
  if (all === 0) return Number.NaN;
  let [lowerBound, lowerCount] = [0, 0];
  for (const [bound, count] of counts) {
    if (count >= share * all) {
      const part = (share * all - lowerCount) / (count - lowerCount);
      return Number.isFinite(bound) ? lowerBound + part * (bound - lowerBound) : lowerBound;
    }
    [lowerBound, lowerCount] = [bound, count];
  }
  return lowerBound;
}

/** Observations between two readings. */
export function countsBetween(before: Counts, after: Counts): Counts {
  return new Map([...after].map(([bound, count]) => [bound, count - (before.get(bound) ?? 0)]));
}
