/** A time of the call as clients and the record get it: whole ms, not before the call's start. */
export function wholeCallMs(ms: number): number {
  return Math.max(0, Math.round(ms));
}
