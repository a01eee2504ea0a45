/** How long after the last sample of speech a turn may be committed, in ms. */
export interface EndpointingDelays {
  readonly minSilenceMs: number;
  readonly minEndpointingMs: number;
  readonly maxEndpointingMs: number;
}

/**
 * Grades the wait by the turn model's probability: complete (≥ 0.5) waits the least, and the less
 * likely an end, the longer. Counted from the last sample of speech, so the two minima do not add up.
 */
export function commitDelayMs(probability: number, delays: EndpointingDelays): number {
  const doubt = Math.max(0, 1 - probability / 0.5);
  const { minEndpointingMs, maxEndpointingMs, minSilenceMs } = delays;
  return Math.max(minSilenceMs, minEndpointingMs + (maxEndpointingMs - minEndpointingMs) * doubt);
}
