import { HOP, SAMPLE_RATE } from './constants.js';

/** A pitch up to this (Hz) marks an unvoiced frame. */
const VOICED_ABOVE = 40;
/** Harmonics end below this (Hz). */
const HIGHEST = 11_000;
/** Below this value of 2·sin(t/2), the quotient is replaced by its limit, the peak of the pulse. */
const MIN_DIVISOR = 2e-3;

/**
 * The pulses of the vocal folds, sample by sample: all harmonics of the pitch below 11 kHz at unit
 * amplitude, Σ cos(h·t) = sin((H + ½)t) / (2 sin(t/2)) − ½; silence in unvoiced frames.
 * The pitch is interpolated linearly between the middles of frames.
 */
export class Excitation {
  readonly #pitch: Float32Array;
  /** Turns of the fundamental, 0…1. */
  #phase = 0;
  #frame = 0;

  /** @param pitch - Hz, one value per frame */
  constructor(pitch: Float32Array) {
    this.#pitch = pitch;
  }

  /** Writes the next frame's 300 samples to `output` at `at`. @returns whether any was voiced */
  next(output: Float64Array, at: number): boolean {
    const pitch = this.#pitch;
    const frame = this.#frame++;
    const here = pitch[frame]!;
    const before = pitch[frame - 1] ?? here;
    const after = pitch[frame + 1] ?? here;
    let phase = this.#phase;
    let voiced = false;
    for (let i = 0; i < HOP; i++) {
      const along = (i + 0.5) / HOP - 0.5;
      const hz = along < 0 ? here + (here - before) * along : here + (after - here) * along;
      phase += (hz > VOICED_ABOVE ? hz : VOICED_ABOVE) / SAMPLE_RATE;
      if (phase >= 1) phase -= Math.floor(phase);
      if (hz > VOICED_ABOVE) {
        voiced = true;
        output[at + i] = pulseAt(phase, hz);
      } else {
        output[at + i] = 0;
      }
    }
    this.#phase = phase;
    return voiced;
  }
}

function pulseAt(phase: number, hz: number): number {
  const harmonics = Math.floor(HIGHEST / hz) + 0.5;
  const angle = 2 * Math.PI * phase;
  const divisor = 2 * Math.sin(angle / 2);
  if (divisor <= MIN_DIVISOR) return harmonics - 0.5;
  return Math.sin(harmonics * angle) / divisor - 0.5;
}
