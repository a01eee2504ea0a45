import { MediaError } from '../errors.js';

interface Pass {
  readonly radix: 2 | 3 | 4 | 5;
  /** Distance between adjacent elements of one sub-transform. */
  readonly stride: number;
  /** Sub-transforms of this pass. */
  readonly count: number;
  /** cos and sin of the angles `−2π·p·j/length`, p-major, j = 1…radix − 1. */
  readonly twiddles: Float64Array;
}

/** Prime factor 2 in pairs first, so that the strides of the later passes are long. */
const RADICES = [4, 5, 3, 2] as const;
const SIN_60 = Math.sqrt(3) / 2;
const COS_72 = Math.cos((2 * Math.PI) / 5);
const COS_144 = Math.cos((4 * Math.PI) / 5);
const SIN_72 = Math.sin((2 * Math.PI) / 5);
const SIN_144 = Math.sin((4 * Math.PI) / 5);

/**
 * Complex discrete Fourier transform of one length (Stockham's self-sorting form). It allocates no memory
 * after its construction. For the inverse transform times n, swap the real and imaginary parts of input
 * and output.
 */
export class Fft {
  readonly length: number;
  readonly #passes: readonly Pass[];
  readonly #scratchRe: Float64Array;
  readonly #scratchIm: Float64Array;

  /**
   * @param length - number of complex values, ≥ 2, with no prime factors other than 2, 3 and 5
   * @throws MediaError INTERNAL for another length
   */
  constructor(length: number) {
    this.length = length;
    this.#passes = planPasses(length);
    this.#scratchRe = new Float64Array(length);
    this.#scratchIm = new Float64Array(length);
  }

  /**
   * Transforms `re + i·im` into `outRe + i·outIm`: X[k] = Σ x[n]·e^(−2πi·k·n ÷ length), without scaling.
   * The arguments are four different arrays of `length` values. The input is not changed.
   */
  transform(re: Float64Array, im: Float64Array, outRe: Float64Array, outIm: Float64Array): void {
    let fromRe = re;
    let fromIm = im;
    this.#passes.forEach((pass, index) => {
      const last = (this.#passes.length - index) % 2 === 1;
      const toRe = last ? outRe : this.#scratchRe;
      const toIm = last ? outIm : this.#scratchIm;
      runPass(pass, fromRe, fromIm, toRe, toIm);
      fromRe = toRe;
      fromIm = toIm;
    });
  }
}

function planPasses(length: number): Pass[] {
  const passes: Pass[] = [];
  let left = length;
  let stride = 1;
  while (left > 1) {
    const radix = RADICES.find((candidate) => left % candidate === 0);
    if (!radix) throw lengthError(length);
    const count = left / radix;
    const twiddles = new Float64Array(count * (radix - 1) * 2);
    for (let p = 0, at = 0; p < count; p++) {
      for (let j = 1; j < radix; j++) {
        const angle = (-2 * Math.PI * p * j) / left;
        twiddles[at++] = Math.cos(angle);
        twiddles[at++] = Math.sin(angle);
      }
    }
    passes.push({ radix, stride, count, twiddles });
    left = count;
    stride *= radix;
  }
  if (passes.length === 0) throw lengthError(length);
  return passes;
}

function lengthError(length: number): MediaError {
  return new MediaError(
    'INTERNAL',
    `The length of a Fourier transform must be at least 2 with prime factors 2, 3 and 5; got ${length}`,
  );
}

function runPass(
  pass: Pass,
  re: Float64Array,
  im: Float64Array,
  outRe: Float64Array,
  outIm: Float64Array,
): void {
  if (pass.radix === 4) pass4(pass, re, im, outRe, outIm);
  else if (pass.radix === 5) pass5(pass, re, im, outRe, outIm);
  else if (pass.radix === 3) pass3(pass, re, im, outRe, outIm);
  else pass2(pass, re, im, outRe, outIm);
}

function pass2(
  { stride, count, twiddles }: Pass,
  re: Float64Array,
  im: Float64Array,
  outRe: Float64Array,
  outIm: Float64Array,
): void {
  const step = stride * count;
  for (let p = 0; p < count; p++) {
    const c1 = twiddles[2 * p]!;
    const s1 = twiddles[2 * p + 1]!;
    for (let q = 0; q < stride; q++) {
      const from = q + stride * p;
      const to = q + stride * 2 * p;
      const aRe = re[from]!;
      const aIm = im[from]!;
      const bRe = re[from + step]!;
      const bIm = im[from + step]!;
      const dRe = aRe - bRe;
      const dIm = aIm - bIm;
      outRe[to] = aRe + bRe;
      outIm[to] = aIm + bIm;
      outRe[to + stride] = dRe * c1 - dIm * s1;
      outIm[to + stride] = dRe * s1 + dIm * c1;
    }
  }
}

function pass3(
  { stride, count, twiddles }: Pass,
  re: Float64Array,
  im: Float64Array,
  outRe: Float64Array,
  outIm: Float64Array,
): void {
  const step = stride * count;
  for (let p = 0; p < count; p++) {
    const c1 = twiddles[4 * p]!;
    const s1 = twiddles[4 * p + 1]!;
    const c2 = twiddles[4 * p + 2]!;
    const s2 = twiddles[4 * p + 3]!;
    for (let q = 0; q < stride; q++) {
      const from = q + stride * p;
      const to = q + stride * 3 * p;
      const aRe = re[from]!;
      const aIm = im[from]!;
      const sumRe = re[from + step]! + re[from + 2 * step]!;
      const sumIm = im[from + step]! + im[from + 2 * step]!;
      const difRe = (re[from + step]! - re[from + 2 * step]!) * SIN_60;
      const difIm = (im[from + step]! - im[from + 2 * step]!) * SIN_60;
      const midRe = aRe - 0.5 * sumRe;
      const midIm = aIm - 0.5 * sumIm;
      const bRe = midRe + difIm;
      const bIm = midIm - difRe;
      const cRe = midRe - difIm;
      const cIm = midIm + difRe;
      outRe[to] = aRe + sumRe;
      outIm[to] = aIm + sumIm;
      outRe[to + stride] = bRe * c1 - bIm * s1;
      outIm[to + stride] = bRe * s1 + bIm * c1;
      outRe[to + 2 * stride] = cRe * c2 - cIm * s2;
      outIm[to + 2 * stride] = cRe * s2 + cIm * c2;
    }
  }
}

function pass4(
  { stride, count, twiddles }: Pass,
  re: Float64Array,
  im: Float64Array,
  outRe: Float64Array,
  outIm: Float64Array,
): void {
  const step = stride * count;
  for (let p = 0; p < count; p++) {
    const c1 = twiddles[6 * p]!;
    const s1 = twiddles[6 * p + 1]!;
    const c2 = twiddles[6 * p + 2]!;
    const s2 = twiddles[6 * p + 3]!;
    const c3 = twiddles[6 * p + 4]!;
    const s3 = twiddles[6 * p + 5]!;
    for (let q = 0; q < stride; q++) {
      const from = q + stride * p;
      const to = q + stride * 4 * p;
      const sumRe = re[from]! + re[from + 2 * step]!;
      const sumIm = im[from]! + im[from + 2 * step]!;
      const difRe = re[from]! - re[from + 2 * step]!;
      const difIm = im[from]! - im[from + 2 * step]!;
      const oddRe = re[from + step]! + re[from + 3 * step]!;
      const oddIm = im[from + step]! + im[from + 3 * step]!;
      const turnRe = im[from + step]! - im[from + 3 * step]!;
      const turnIm = re[from + 3 * step]! - re[from + step]!;
      const bRe = difRe + turnRe;
      const bIm = difIm + turnIm;
      const cRe = sumRe - oddRe;
      const cIm = sumIm - oddIm;
      const dRe = difRe - turnRe;
      const dIm = difIm - turnIm;
      outRe[to] = sumRe + oddRe;
      outIm[to] = sumIm + oddIm;
      outRe[to + stride] = bRe * c1 - bIm * s1;
      outIm[to + stride] = bRe * s1 + bIm * c1;
      outRe[to + 2 * stride] = cRe * c2 - cIm * s2;
      outIm[to + 2 * stride] = cRe * s2 + cIm * c2;
      outRe[to + 3 * stride] = dRe * c3 - dIm * s3;
      outIm[to + 3 * stride] = dRe * s3 + dIm * c3;
    }
  }
}

function pass5(
  { stride, count, twiddles }: Pass,
  re: Float64Array,
  im: Float64Array,
  outRe: Float64Array,
  outIm: Float64Array,
): void {
  const step = stride * count;
  for (let p = 0; p < count; p++) {
    const t = 8 * p;
    for (let q = 0; q < stride; q++) {
      const from = q + stride * p;
      const to = q + stride * 5 * p;
      const aRe = re[from]!;
      const aIm = im[from]!;
      const sum1Re = re[from + step]! + re[from + 4 * step]!;
      const sum1Im = im[from + step]! + im[from + 4 * step]!;
      const dif1Re = re[from + step]! - re[from + 4 * step]!;
      const dif1Im = im[from + step]! - im[from + 4 * step]!;
      const sum2Re = re[from + 2 * step]! + re[from + 3 * step]!;
      const sum2Im = im[from + 2 * step]! + im[from + 3 * step]!;
      const dif2Re = re[from + 2 * step]! - re[from + 3 * step]!;
      const dif2Im = im[from + 2 * step]! - im[from + 3 * step]!;
      const mid1Re = aRe + COS_72 * sum1Re + COS_144 * sum2Re;
      const mid1Im = aIm + COS_72 * sum1Im + COS_144 * sum2Im;
      const mid2Re = aRe + COS_144 * sum1Re + COS_72 * sum2Re;
      const mid2Im = aIm + COS_144 * sum1Im + COS_72 * sum2Im;
      const turn1Re = SIN_72 * dif1Im + SIN_144 * dif2Im;
      const turn1Im = -SIN_72 * dif1Re - SIN_144 * dif2Re;
      const turn2Re = SIN_144 * dif1Im - SIN_72 * dif2Im;
      const turn2Im = -SIN_144 * dif1Re + SIN_72 * dif2Re;
      outRe[to] = aRe + sum1Re + sum2Re;
      outIm[to] = aIm + sum1Im + sum2Im;
      const bRe = mid1Re + turn1Re;
      const bIm = mid1Im + turn1Im;
      outRe[to + stride] = bRe * twiddles[t]! - bIm * twiddles[t + 1]!;
      outIm[to + stride] = bRe * twiddles[t + 1]! + bIm * twiddles[t]!;
      const cRe = mid2Re + turn2Re;
      const cIm = mid2Im + turn2Im;
      outRe[to + 2 * stride] = cRe * twiddles[t + 2]! - cIm * twiddles[t + 3]!;
      outIm[to + 2 * stride] = cRe * twiddles[t + 3]! + cIm * twiddles[t + 2]!;
      const dRe = mid2Re - turn2Re;
      const dIm = mid2Im - turn2Im;
      outRe[to + 3 * stride] = dRe * twiddles[t + 4]! - dIm * twiddles[t + 5]!;
      outIm[to + 3 * stride] = dRe * twiddles[t + 5]! + dIm * twiddles[t + 4]!;
      const eRe = mid1Re - turn1Re;
      const eIm = mid1Im - turn1Im;
      outRe[to + 4 * stride] = eRe * twiddles[t + 6]! - eIm * twiddles[t + 7]!;
      outIm[to + 4 * stride] = eRe * twiddles[t + 7]! + eIm * twiddles[t + 6]!;
    }
  }
}
