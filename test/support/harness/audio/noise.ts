/** Reproducible white noise, −1…1. */
export function whiteNoise(length: number, seed = 1): Float32Array<ArrayBuffer> {
  let state = seed;
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

/**
 * Pink noise: equal power in each octave, like a fan or a road. Source: Paul Kellet's economy
 * filter.
 */
export function pinkNoise(length: number, seed = 1): Float32Array<ArrayBuffer> {
  const white = whiteNoise(length, seed);
  let [low, middle, high] = [0, 0, 0];
  return white.map((sample) => {
    low = 0.99765 * low + sample * 0.099046;
    middle = 0.963 * middle + sample * 0.2965164;
    high = 0.57 * high + sample * 1.0526913;
    return (low + middle + high + sample * 0.1848) / 5;
  });
}

/** RMS of the 20 ms frames above −46 dB, at 16 kHz. */
export function speechLevel(speech: Float32Array): number {
  let sum = 0;
  let count = 0;
  for (let at = 0; at + 320 <= speech.length; at += 320) {
    const frame = speech.subarray(at, at + 320);
    const power = frame.reduce((total, sample) => total + sample * sample, 0) / 320;
    if (power < 2.5e-5) continue;
    sum += power;
    count++;
  }
  return Math.sqrt(sum / Math.max(1, count));
}

/** `noise` scaled so that `speech` is `ratioDb` louder, by the level of its speech frames. */
export function noiseBelow(
  speech: Float32Array,
  noise: Float32Array,
  ratioDb: number,
): Float32Array<ArrayBuffer> {
  const power = noise.reduce((sum, sample) => sum + sample * sample, 0) / noise.length;
  const gain = speechLevel(speech) / Math.sqrt(power) / 10 ** (ratioDb / 20);
  return Float32Array.from(noise, (sample) => sample * gain);
}
