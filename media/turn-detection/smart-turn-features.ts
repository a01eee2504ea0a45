import { Fft } from '../audio/fft.js';
import { CALLER_SAMPLE_RATE } from '../audio/pcm.js';

/** Input of the model in samples: the last 8 s. */
export const WINDOW = 8 * CALLER_SAMPLE_RATE;
const FFT_LENGTH = 400;
const HOP = 160;
const BINS = FFT_LENGTH / 2 + 1;
/** Shape of the features: 80 mel bands × 800 frames of 10 ms. */
export const MELS = 80;
export const FRAMES = 800;

/**
 * Computes the log-mel features of the turn model. Samples are normalised to mean 0 and variance 1. Source:
 * the feature extractor of Whisper (Radford et al., 2022): Hann window, power spectrum, Slaney mels, log10,
 * dynamic range of 8, scaled to about −1…1.
 */
export class SmartTurnFeatures {
  readonly #fft = new Fft(FFT_LENGTH);
  readonly #window = Float64Array.from({ length: FFT_LENGTH }, (_, i) => hann(i));
  readonly #filters = melFilters();
  readonly #padded = new Float64Array(WINDOW + FFT_LENGTH);
  readonly #re = new Float64Array(FFT_LENGTH);
  readonly #im = new Float64Array(FFT_LENGTH);
  readonly #outRe = new Float64Array(FFT_LENGTH);
  readonly #outIm = new Float64Array(FFT_LENGTH);
  readonly #power = [new Float64Array(BINS), new Float64Array(BINS)] as const;

  /**
   * @param samples - mono at 16 kHz, −1…1; silence is added at the start if they are shorter than 8 s, and
   *   only the last 8 s count
   * @returns `MELS` rows of `FRAMES` values, row-major
   */
  extract(samples: Float32Array): Float32Array {
    const start = this.#fill(samples);
    const features = new Float32Array(MELS * FRAMES);
    let highest = Number.NEGATIVE_INFINITY;
    // One complex transform computes two real frames. All frames of the padding are equal.
    const same = Math.max(2, 2 * Math.floor((start - FFT_LENGTH) / HOP / 2));
    for (let frame = 0; frame < FRAMES; frame += frame === 0 ? same : 2) {
      this.#transform(frame);
      for (let side = 0; side < 2; side++) {
        for (let mel = 0; mel < MELS; mel++) {
          const value = Math.log10(Math.max(this.#melEnergy(mel, this.#power[side]!), 1e-10));
          features[mel * FRAMES + frame + side] = value;
          if (value > highest) highest = value;
        }
      }
    }
    for (let mel = 0; mel < MELS; mel++) {
      const row = features.subarray(mel * FRAMES, (mel + 1) * FRAMES);
      row.fill(row[0]!, 2, same);
    }
    for (let i = 0; i < features.length; i++) {
      features[i] = (Math.max(features[i]!, highest - 8) + 4) / 4;
    }
    return features;
  }

  /**
   * Fills the buffer with the normalised turn, mirrored at both ends.
   * @returns index of the first sample of the turn; the samples of the padding before it are equal
   */
  #fill(samples: Float32Array): number {
    const turn = samples.length > WINDOW ? samples.subarray(samples.length - WINDOW) : samples;
    let sum = 0;
    let squares = 0;
    for (let i = 0; i < turn.length; i++) {
      sum += turn[i]!;
      squares += turn[i]! * turn[i]!;
    }
    const mean = sum / WINDOW;
    const scale = 1 / Math.sqrt(squares / WINDOW - mean * mean + 1e-7);
    const half = FFT_LENGTH / 2;
    const buffer = this.#padded;
    buffer.fill(-mean * scale, half, half + WINDOW - turn.length);
    const start = half + WINDOW - turn.length;
    for (let i = 0; i < turn.length; i++) buffer[start + i] = (turn[i]! - mean) * scale;
    for (let i = 0; i < half; i++) {
      buffer[half - 1 - i] = buffer[half + 1 + i]!;
      buffer[half + WINDOW + i] = buffer[half + WINDOW - 2 - i]!;
    }
    return start;
  }

  /** Computes the power spectra of two adjacent frames. */
  #transform(frame: number): void {
    const at = frame * HOP;
    for (let i = 0; i < FFT_LENGTH; i++) {
      this.#re[i] = this.#padded[at + i]! * this.#window[i]!;
      this.#im[i] = this.#padded[at + HOP + i]! * this.#window[i]!;
    }
    this.#fft.transform(this.#re, this.#im, this.#outRe, this.#outIm);
    const [first, second] = this.#power;
    for (let bin = 0; bin < BINS; bin++) {
      const mirror = (FFT_LENGTH - bin) % FFT_LENGTH;
      const sumRe = this.#outRe[bin]! + this.#outRe[mirror]!;
      const difRe = this.#outRe[bin]! - this.#outRe[mirror]!;
      const sumIm = this.#outIm[bin]! + this.#outIm[mirror]!;
      const difIm = this.#outIm[bin]! - this.#outIm[mirror]!;
      first[bin] = (sumRe * sumRe + difIm * difIm) / 4;
      second[bin] = (sumIm * sumIm + difRe * difRe) / 4;
    }
  }

  #melEnergy(mel: number, power: Float64Array): number {
    const { first, weights } = this.#filters[mel]!;
    let energy = 0;
    for (let i = 0; i < weights.length; i++) energy += weights[i]! * power[first + i]!;
    return energy;
  }
}

function hann(i: number): number {
  return 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / FFT_LENGTH);
}

interface MelFilter {
  readonly first: number;
  readonly weights: Float64Array;
}

/** Triangles on Slaney's mel scale, 0–8 kHz, each of area 1. Source: Slaney, Auditory Toolbox, 1998. */
function melFilters(): readonly MelFilter[] {
  const top = toMel(CALLER_SAMPLE_RATE / 2);
  const edges = Array.from({ length: MELS + 2 }, (_, i) => toHz((top * i) / (MELS + 1)));
  return Array.from({ length: MELS }, (_, mel) => {
    const [low, middle, high] = [edges[mel]!, edges[mel + 1]!, edges[mel + 2]!];
    const all = Array.from({ length: BINS }, (_, bin) => {
      const hz = (bin * CALLER_SAMPLE_RATE) / FFT_LENGTH;
      const slope = Math.min((hz - low) / (middle - low), (high - hz) / (high - middle));
      return (Math.max(0, slope) * 2) / (high - low);
    });
    const first = Math.max(
      0,
      all.findIndex((weight) => weight > 0),
    );
    const last = all.findLastIndex((weight) => weight > 0);
    return { first, weights: Float64Array.from(all.slice(first, last + 1)) };
  });
}

/** Linear below 1 kHz, logarithmic above. */
const LINEAR_HZ = 200 / 3;
const BREAK_MEL = 1000 / LINEAR_HZ;
const LOG_STEP = Math.log(6.4) / 27;

function toMel(hz: number): number {
  return hz < 1000 ? hz / LINEAR_HZ : BREAK_MEL + Math.log(hz / 1000) / LOG_STEP;
}

function toHz(mel: number): number {
  return mel < BREAK_MEL ? mel * LINEAR_HZ : 1000 * Math.exp(LOG_STEP * (mel - BREAK_MEL));
}
