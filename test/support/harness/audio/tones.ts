/** A sine tone of `length` samples; frequency and rate in Hz. */
export function tone(frequency: number, sampleRate: number, length: number, level = 0.5) {
  return Float32Array.from(
    { length },
    (_, i) => level * Math.sin((2 * Math.PI * frequency * i) / sampleRate),
  );
}

/** Signal-to-difference ratio of two signals in dB. */
export function likenessDb(wanted: Float32Array, found: Float32Array): number {
  let signal = 0;
  let noise = 0;
  for (let i = 0; i < wanted.length; i++) {
    signal += wanted[i]! ** 2;
    noise += (wanted[i]! - (found[i] ?? 0)) ** 2;
  }
  return 10 * Math.log10(signal / noise);
}

/** Root mean square. */
export function levelOf(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / samples.length);
}
