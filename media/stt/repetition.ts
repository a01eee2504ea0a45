/** Longest cycle that is detected, in tokens: eight spelled letters with dashes between them. */
const MAX_PERIOD = 16;
/** Minimum number of excess tokens of a loop. Doubled letters and short words have fewer. */
const MIN_LOOPED = 3;

/**
 * Returns the maximum number of tokens that may equal the tokens one period before them. A word or a letter
 * may occur twice, a short cycle almost three times, a long one twice.
 */
function mostRepeated(period: number): number {
  return Math.max(period, Math.min(2 * period - 1, 7));
}

/** Returns the number of last tokens that equal the tokens one period before them. */
function repeatedAtEnd(ids: readonly number[], period: number): number {
  let count = 0;
  for (let i = ids.length - 1; i >= period && ids[i] === ids[i - period]; i--) count++;
  return count;
}

/** Returns the token ids that would repeat the end of a text more often than allowed. */
export function loopingTokens(ids: readonly number[]): ReadonlySet<number> {
  const looping = new Set<number>();
  for (let period = 1; period <= Math.min(MAX_PERIOD, ids.length); period++) {
    if (repeatedAtEnd(ids, period) >= mostRepeated(period)) looping.add(ids[ids.length - period]!);
  }
  return looping;
}

/** Whether a text (token ids) contains a loop. */
export function hasLoop(ids: readonly number[]): boolean {
  let looped = 0;
  for (let end = 0; end < ids.length && looped < MIN_LOOPED; end++) {
    if (loopingTokens(ids.slice(0, end)).has(ids[end]!)) looped++;
  }
  return looped === MIN_LOOPED;
}
