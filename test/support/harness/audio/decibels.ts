/**
 * Power of the difference of two signals relative to the second, in dB; −Infinity if they are
 * equal.
 */
export function decibels(samples: Float32Array, reference: Float32Array): number {
  if (samples.length !== reference.length) return Number.POSITIVE_INFINITY;
  let error = 0;
  let power = 0;
  for (let i = 0; i < reference.length; i++) {
    error += (samples[i]! - reference[i]!) ** 2;
    power += reference[i]! ** 2;
  }
  return 10 * Math.log10(error / power);
}
