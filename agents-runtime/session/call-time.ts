/** Call time as sent to clients and stored: whole ms, at least 0. */
export function wholeCallMs(ms: number): number {
  return Math.max(0, Math.round(ms));
}
