import { MediaError } from '../errors.js';
import { type FilterTaps, type FirKernel, firKernel } from './fir-kernel.js';

/** Stop-band attenuation that the window is designed for, in dB. */
const ATTENUATION_DB = 75;
/** End of the pass band and start of the stop band, as fractions of the Nyquist frequency of the lower rate. */
const PASS_EDGE = 0.88;
const STOP_EDGE = 1.0;
/** Maximum numerator and denominator of the reduced ratio. Larger ones need a table of many megabytes. */
const MAX_PHASES = 2048;

/** The filter between two sample rates. It has no state; all streams of the same ratio share it. */
export interface FilterBank extends FilterTaps {
  readonly kernel: FirKernel;
}

const banks = new Map<string, FilterBank>();

/**
 * Returns the filter bank between two sample rates. It is computed on the first use and cached.
 * @param inputRate - Hz, an integer
 * @param outputRate - Hz, an integer
 * @throws MediaError INVALID_INPUT for rates that are not positive integers, or whose reduced ratio has a
 *   number above 2,048
 */
export function filterBank(inputRate: number, outputRate: number): FilterBank {
  const common = greatestCommonDivisor(inputRate, outputRate);
  const interpolation = outputRate / common;
  const decimation = inputRate / common;
  if (!(inputRate > 0 && outputRate > 0) || interpolation > MAX_PHASES || decimation > MAX_PHASES) {
    throw new MediaError(
      'INVALID_INPUT',
      `Cannot resample ${inputRate} Hz to ${outputRate} Hz: expected positive integers with a reduced ratio up to ${MAX_PHASES}`,
    );
  }
  const key = `${interpolation}/${decimation}`;
  const known = banks.get(key);
  if (known) return known;
  const taps = design(interpolation, decimation);
  const bank = { ...taps, kernel: firKernel(taps) };
  banks.set(key, bank);
  return bank;
}

/** A Kaiser-windowed sinc. Source: Oppenheim and Schafer, Discrete-Time Signal Processing, 7.5.3. */
function design(interpolation: number, decimation: number): FilterTaps {
  // Nyquist frequency of the lower rate, relative to that of the input.
  const nyquist = Math.min(1, interpolation / decimation);
  const cutoff = (nyquist * (PASS_EDGE + STOP_EDGE)) / 2;
  const transition = nyquist * (STOP_EDGE - PASS_EDGE) * Math.PI;
  // Even, so that the length of a row is a multiple of four.
  const halfWidth = 2 * Math.ceil((ATTENUATION_DB - 7.95) / (2.285 * transition) / 4);
  const beta = 0.1102 * (ATTENUATION_DB - 8.7);
  const width = 2 * halfWidth;
  const taps = new Float32Array(interpolation * width);
  for (let phase = 0; phase < interpolation; phase++) {
    const row = new Float64Array(width);
    let sum = 0;
    for (let tap = 0; tap < width; tap++) {
      // Tap 0 belongs to the oldest input; the output is phase/interpolation after input halfWidth − 1.
      const distance = tap - (halfWidth - 1) - phase / interpolation;
      row[tap] = cutoff * sinc(cutoff * distance) * kaiser(distance / halfWidth, beta);
      sum += row[tap]!;
    }
    // Each phase gets unit gain at 0 Hz. Different gains would add a tone at the input rate.
    for (let tap = 0; tap < width; tap++) taps[phase * width + tap] = row[tap]! / sum;
  }
  return { interpolation, decimation, halfWidth, taps };
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function kaiser(x: number, beta: number): number {
  return Math.abs(x) >= 1 ? 0 : besselI0(beta * Math.sqrt(1 - x * x)) / besselI0(beta);
}

function besselI0(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 || Number.isNaN(b) ? a : greatestCommonDivisor(b, a % b);
}
