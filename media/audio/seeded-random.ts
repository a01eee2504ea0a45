/** Mixes 32 bits so that neighbours differ in half of theirs (Source: C. Wellons, "lowbias32"). */
export function scramble(value: number): number {
  let x = value;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return x ^ (x >>> 16);
}
