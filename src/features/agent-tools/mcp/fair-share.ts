/**
 * How many of each list are taken when there is room for so many in all: one of each in turn, so that a
 * long list leaves room for the others.
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
