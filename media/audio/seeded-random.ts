/**
 * Hashes 32 bits, so that equal seeds give equal pseudo-random numbers. Source: C. Wellons, "lowbias32".
 * @param value - an integer; its lower 32 bits count
 * @returns a signed 32-bit integer
 */
export function scramble(value: number): number {
  let x = value;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return x ^ (x >>> 16);
}
