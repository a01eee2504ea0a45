/**
 * How many items of each list fit into `room` items, round robin, so that a long list does not displace
 * the others.
 */
export function fairShares(lengths: readonly number[], room: number): readonly number[] {
  const shares = lengths.map(() => 0);
  for (let left = Math.min(room, sum(lengths)); left > 0; ) {
    for (const [i, length] of lengths.entries()) {
      if (left === 0 || shares[i]! >= length) continue;
      shares[i]!++;
      left--;
    }
  }
  return shares;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
