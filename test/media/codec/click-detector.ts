/** Length of the examined section, and of its surroundings, in milliseconds. */
const STRETCH_MS = 1.5;
const AROUND_MS = 30;

/**
 * Ratio of high-frequency energy at a position to that around it: 1 if it is evenly distributed, up
 * to 20 for a step of the signal, which is audible as a click.
 */
export function clickAt(samples: Float32Array, at: number, sampleRate: number): number {
  const half = Math.round((sampleRate * STRETCH_MS) / 2000);
  const around = Math.round((sampleRate * AROUND_MS) / 2000);
  const inner = highEnergy(samples, at - half, at + half) / (2 * half);
  const outer = highEnergy(samples, at - around, at + around) / (2 * around);
  // Levels below the resolution of 16 bits count as silence.
  return inner / (outer + 1e-9);
}

/** Energy of the fourth difference: a slope of 24 dB per octave towards the highest frequencies. */
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
