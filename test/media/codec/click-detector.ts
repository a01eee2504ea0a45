/** Length of the stretch that is looked at, and of its surroundings, ms. */
const STRETCH_MS = 1.5;
const AROUND_MS = 30;

/**
 * How much of the high frequencies around a place are in the one stretch at it: 1 where they are spread
 * evenly, up to 20 where a step of the signal, a click, put them all there.
 */
export function clickAt(samples: Float32Array, at: number, sampleRate: number): number {
  const half = Math.round((sampleRate * STRETCH_MS) / 2000);
  const around = Math.round((sampleRate * AROUND_MS) / 2000);
  const inner = highEnergy(samples, at - half, at + half) / (2 * half);
  const outer = highEnergy(samples, at - around, at + around) / (2 * around);
  // What is quieter than 16 bits can tell is silence.
  return inner / (outer + 1e-9);
}

/** Energy of the fourth difference: 24 dB an octave towards the highest frequencies. */
function highEnergy(samples: Float32Array, from: number, to: number): number {
  let sum = 0;
  for (let i = Math.max(2, from); i < Math.min(samples.length - 2, to); i++) {
    const difference =
      samples[i - 2]! -
      4 * samples[i - 1]! +
      6 * samples[i]! -
      4 * samples[i + 1]! +
      samples[i + 2]!;
    sum += difference * difference;
  }
  return sum;
}
