/** How long after the last sample of speech a turn may be committed, in ms. */
export interface EndpointingDelays {
  readonly minSilenceMs: number;
  readonly minEndpointingMs: number;
  readonly maxEndpointingMs: number;
}

/**
 * The wait by how much speaks against an end: 0 waits the least, 1 the longest. Counted from the last
 * sample of speech, so the two minima do not add up.
 * @param doubt 0…1.
 */
export function commitDelayMs(doubt: number, delays: EndpointingDelays): number {
  const { minEndpointingMs, maxEndpointingMs, minSilenceMs } = delays;
  return Math.max(minSilenceMs, minEndpointingMs + (maxEndpointingMs - minEndpointingMs) * doubt);
}
