/** Sample rate in Hz of a caller's audio. VAD, noise reduction, turn detection and STT models use it. */
export const CALLER_SAMPLE_RATE = 16_000;

/**
 * Converts samples to signed 16 bits.
 * @param samples - in −1…1; values outside are clipped, NaN becomes 0
 * @param pcm - receives the result; at least as long as `samples`
 */
export function toInt16(samples: Float32Array, pcm: Int16Array): void {
  for (let i = 0; i < samples.length; i++) {
    const scaled = samples[i]! * 32768;
    if (scaled >= 32767) pcm[i] = 32767;
    // Same result as Math.round in a fifth of its time: truncation rounds positive numbers down.
    else if (scaled > -32768) pcm[i] = ((scaled + 32768.5) | 0) - 32768;
    else pcm[i] = scaled <= -32768 ? -32768 : 0;
  }
}

/**
 * Converts signed 16-bit samples to floats.
 * @param samples - receives values in −1…1; at least as long as `pcm`
 */
export function toFloat32(pcm: Int16Array, samples: Float32Array): void {
  for (let i = 0; i < pcm.length; i++) samples[i] = pcm[i]! / 32768;
}

/** Like `toInt16`, into a new array. */
export function int16Of(samples: Float32Array): Int16Array<ArrayBuffer> {
  const pcm = new Int16Array(samples.length);
  toInt16(samples, pcm);
  return pcm;
}

/** Like `toFloat32`, into a new array. */
export function float32Of(pcm: Int16Array): Float32Array<ArrayBuffer> {
  const samples = new Float32Array(pcm.length);
  toFloat32(pcm, samples);
  return samples;
}

interface WritableArray {
  set(part: ArrayLike<number>, offset: number): void;
}

/** Joins arrays into a new one of type `ArrayType`. */
export function concat<T extends WritableArray>(
  ArrayType: new (length: number) => T,
  parts: readonly ArrayLike<number>[],
): T {
  const joined = new ArrayType(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** The sum of the squares of the samples. The loop uses an index because an iterator takes five times as long. */
export function energyOf(samples: Float32Array): number {
  let energy = 0;
  for (let i = 0; i < samples.length; i++) energy += samples[i]! * samples[i]!;
  return energy;
}
