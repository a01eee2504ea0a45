import type { Outcome } from './endpointing-call.js';
import { percentilesOf } from './percentiles.js';

/** Later than this after the end, a commit is late. */
const LATE_MS = 1200;
/** A commit that comes so much before the end of a fading last sound cuts nobody off. */
const FADE_MS = 60;

/** What became of many turns. Times are ms after the last sample of speech. */
export interface Tally {
  readonly turns: number;
  /** Committed before the end. */
  readonly cutOff: number;
  readonly late: number;
  /** Never committed. */
  readonly missed: number;
  readonly p50: number;
  readonly p95: number;
}

export function tallyOf(outcomes: readonly Outcome[]): Tally {
  const lasts = outcomes.map(({ commits }) => commits.at(-1) ?? Number.NEGATIVE_INFINITY);
  const ends = lasts.filter((ms) => ms >= -FADE_MS);
  const { p50, p95 } = percentilesOf(ends);
  return {
    turns: outcomes.length,
    cutOff: outcomes.filter(isCutOff).length,
    late: ends.filter((ms) => ms > LATE_MS).length,
    missed: outcomes.length - ends.length,
    p50: Math.round(p50),
    p95: Math.round(p95),
  };
}

export function isCutOff({ commits }: Outcome): boolean {
  return commits.some((ms) => ms < -FADE_MS);
}
