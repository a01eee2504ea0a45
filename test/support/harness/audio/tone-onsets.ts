/** Loud enough for a tone, far above what a codec leaves of the other leg. */
const LOUD = 0.1;
/** So much of quiet parts two tones. */
const QUIET_MS = 50;

/** Where tones begin in samples (−1…1), ms; less than `quietMs` of quiet is part of a tone. */
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
