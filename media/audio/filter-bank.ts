import { MediaError } from '../errors.js';
import { type FilterTaps, type FirKernel, firKernel } from './fir-kernel.js';

/** Stop-band attenuation that the window is designed for, in dB. */
const ATTENUATION_DB = 75;
/** Where the pass band ends and the stop band begins, as parts of the lower rate's Nyquist frequency. */
const PASS_EDGE = 0.88;
const STOP_EDGE = 1.0;
/** Two rates with a stranger ratio than this would need a table of many megabytes. */
const MAX_PHASES = 2048;

/** The filter between two rates. Shared by all streams of the ratio; keeps nothing of any. */
export interface FilterBank extends FilterTaps {
  readonly kernel: FirKernel;
}

const banks = new Map<string, FilterBank>();

/**
 * The filter bank between two rates in Hz, made at its first use and kept.
 * @throws MediaError INVALID_INPUT for rates that are no whole numbers or have too strange a ratio.
 */
export function filterBank(inputRate: number, outputRate: number): FilterBank {
  const common = greatestCommonDivisor(inputRate, outputRate);
  const interpolation = outputRate / common;
  const decimation = inputRate / common;
  if (!(inputRate > 0 && outputRate > 0) || interpolation > MAX_PHASES || decimation > MAX_PHASES) {
    throw new MediaError('INVALID_INPUT', `Cannot resample ${inputRate} Hz to ${outputRate} Hz`);
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
  // The lower rate's Nyquist frequency, where that of the input is 1.
  const nyquist = Math.min(1, interpolation / decimation);
  const cutoff = (nyquist * (PASS_EDGE + STOP_EDGE)) / 2;
  const transition = nyquist * (STOP_EDGE - PASS_EDGE) * Math.PI;
  // Even, so that rows can be worked through by fours.
  const halfWidth = 2 * Math.ceil((ATTENUATION_DB - 7.95) / (2.285 * transition) / 4);
  const beta = 0.1102 * (ATTENUATION_DB - 8.7);
  const width = 2 * halfWidth;
  const taps = new Float32Array(interpolation * width);
  for (let phase = 0; phase < interpolation; phase++) {
    const row = new Float64Array(width);
    let sum = 0;
    for (let tap = 0; tap < width; tap++) {
      // Tap 0 meets the oldest input; the output lies phase/interpolation after input halfWidth − 1.
      const distance = tap - (halfWidth - 1) - phase / interpolation;
      row[tap] = cutoff * sinc(cutoff * distance) * kaiser(distance / halfWidth, beta);
      sum += row[tap]!;
    }
    // Each phase passes a constant unchanged, so that no tone at the input rate rides on it.
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
