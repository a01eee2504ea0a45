/** Minimum level of a tone; crosstalk of a codec from the other leg is far below. */
const LOUD = 0.1;
/** Default silence between two tones, in milliseconds. */
const QUIET_MS = 50;

/** Start times of the tones in samples (−1…1), in ms. Silence up to `quietMs` is part of a tone. */
export function toneOnsets(
  samples: Float32Array,
  sampleRate: number,
  fromMs = 0,
  quietMs = QUIET_MS,
): number[] {
  const onsets: number[] = [];
  let quiet = Number.POSITIVE_INFINITY;
  const quietFor = (quietMs * sampleRate) / 1000;
  for (let i = 0; i < samples.length; i++) {
    if (Math.abs(samples[i]!) < LOUD) quiet++;
    else {
      if (quiet > quietFor) onsets.push(fromMs + (i * 1000) / sampleRate);
      quiet = 0;
    }
  }
  return onsets;
}
