import type { Outcome } from './endpointing-call.js';
import { percentilesOf } from './percentiles.js';

/** A commit later than this after the end of speech counts as late, in milliseconds. */
const LATE_MS = 1200;
/**
 * A commit at most this long before the end does not cut off speech, because the last sound fades
 * out.
 */
const FADE_MS = 60;

/** Results of many turns. Times are in ms after the last sample of speech. */
export interface EndpointingSummary {
  readonly turns: number;
  /** Turns with a commit before the end of speech. */
  readonly cutOff: number;
  readonly late: number;
  /** Turns that were never committed. */
  readonly missed: number;
  readonly p50: number;
  readonly p95: number;
}

export function summarise(outcomes: readonly Outcome[]): EndpointingSummary {
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
