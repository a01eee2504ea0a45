import { WASM_PAGE, type WasmMemory, WebAssembly } from './web-assembly.js';

/** The taps of a filter between two rates, split into phases. */
export interface FilterTaps {
  /** Output rate ÷ greatest common divisor of both rates; also the number of phases. */
  readonly interpolation: number;
  /** Input rate ÷ greatest common divisor of both rates. */
  readonly decimation: number;
  /** Input samples on each side of an output that it depends on: the delay of a stream. */
  readonly halfWidth: number;
  /** `interpolation` rows of 2 × `halfWidth` taps; row p yields the output p/interpolation after an input. */
  readonly taps: Float32Array;
}

/** Input and output of one run of a filter. */
interface FirRun {
  /** Samples from the first one that the outputs need to the last. */
  readonly input: Float32Array;
  /** Phase of the first output, 0…`interpolation` − 1. */
  readonly phase: number;
  /** Number of outputs. */
  readonly count: number;
  /** Receives the outputs; at least `count` long. */
  readonly output: Float32Array;
}

/** Computes the sums of products of a resampler. */
export type FirKernel = (run: FirRun) => void;

/**
 * Computes eight products at a time with vector instructions of WebAssembly, ten times as fast as a loop in
 * JavaScript. Assembled from:
 *
 *     (func (export "fir") (param $in i32) (param $taps i32) (param $width i32) (param $out i32)
 *           (param $end i32) (param $phase i32) (param $interpolation i32) (param $decimation i32)
 *       (local $row i32) (local $last i32) (local $at i32) (local $a v128) (local $b v128)
 *       loop $next
 *         $row = $taps + $phase * $width; $last = $row + $width; $at = $in; $a = $b = 0
 *         loop $more
 *           $a = f32x4.add($a, f32x4.mul(v128.load($at), v128.load($row)))
 *           $b = f32x4.add($b, f32x4.mul(v128.load(16 + $at), v128.load(16 + $row)))
 *           $at += 32; $row += 32; br_if $more ($row < $last)
 *         f32.store($out, sum of the lanes of f32x4.add($a, $b))
 *         $phase += $decimation; $in += 4 * ($phase / $interpolation); $phase %= $interpolation
 *         $out += 4; br_if $next ($out < $end))
 */
const MODULE =
  'AGFzbQEAAAABDAFgCH9/f39/f39/AAMCAQAFAwEAAQcQAgZtZW1vcnkCAANmaXIAAArXAQHUAQIDfwJ7A0AgASAFIAJsaiEI' +
  'IAggAmohCSAAIQr9DAAAAAAAAAAAAAAAAAAAAAAhC/0MAAAAAAAAAAAAAAAAAAAAACEMA0AgCyAK/QAEACAI/QAEAP3mAf3k' +
  'ASELIAwgCv0ABBAgCP0ABBD95gH95AEhDCAKQSBqIQogCEEgaiIIIAlJDQALIAsgDP3kASELIAMgC/0fACAL/R8BkiAL/R8C' +
  'IAv9HwOSkjgCACAFIAdqIQUgACAFIAZuQQJ0aiEAIAUgBnAhBSADQQRqIgMgBEkNAAsL';
/** The module processes this number of taps at once; rows are padded with zeros to a multiple of it. */
const LANES = 8;
const FLOAT_BYTES = 4;

interface FirExports {
  readonly memory: WasmMemory;
  fir(
    input: number,
    taps: number,
    widthBytes: number,
    output: number,
    outputEnd: number,
    phase: number,
    interpolation: number,
    decimation: number,
  ): void;
}

/**
 * Returns the fastest kernel that is available. Browsers use the JavaScript loop, because the CSP of the
 * pages forbids WebAssembly.
 */
export function firKernel(bank: FilterTaps): FirKernel {
  return (typeof process === 'object' && vectorKernel(bank)) || plainKernel(bank);
}

/**
 * The kernel in WebAssembly. Each ratio and thread needs an instance of its own.
 * @returns undefined if the processor or the runtime has no vector instructions
 */
export function vectorKernel(bank: FilterTaps): FirKernel | undefined {
  let exports: FirExports;
  try {
    const module = new WebAssembly.Module(Buffer.from(MODULE, 'base64'));
    exports = new WebAssembly.Instance(module).exports as FirExports;
  } catch {
    return undefined; // For example, a processor from before 2010.
  }
  const { interpolation, decimation, halfWidth, taps } = bank;
  const width = 2 * halfWidth;
  const paddedWidth = Math.ceil(width / LANES) * LANES;
  const inputAt = interpolation * paddedWidth;
  let floats = roomFor(exports.memory, inputAt);
  for (let phase = 0; phase < interpolation; phase++) {
    floats.set(taps.subarray(phase * width, (phase + 1) * width), phase * paddedWidth);
  }
  return ({ input, phase, count, output }) => {
    if (count <= 0) return;
    const outputAt = inputAt + input.length + LANES;
    if (floats.length < outputAt + count) floats = roomFor(exports.memory, outputAt + count);
    floats.set(input, inputAt);
    // The padding is multiplied by zero taps, but a NaN in it would spread to the output.
    floats.fill(0, inputAt + input.length, outputAt);
    const at = FLOAT_BYTES * outputAt;
    const end = at + FLOAT_BYTES * count;
    const widthBytes = FLOAT_BYTES * paddedWidth;
    exports.fir(FLOAT_BYTES * inputAt, 0, widthBytes, at, end, phase, interpolation, decimation);
    output.set(floats.subarray(outputAt, outputAt + count));
  };
}

/** Grows the memory to at least `count` floats. @returns a view of the entire memory */
function roomFor(memory: WasmMemory, count: number): Float32Array {
  const missing = count * FLOAT_BYTES - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / WASM_PAGE));
  return new Float32Array(memory.buffer);
}

/** The same kernel in JavaScript. */
export function plainKernel({ interpolation, decimation, halfWidth, taps }: FilterTaps): FirKernel {
  const width = 2 * halfWidth;
  return ({ input, phase, count, output }) => {
    for (let made = 0, from = 0, now = phase; made < count; made++) {
      const row = now * width;
      // Four independent sums let the processor add in parallel. The length of a row is a multiple of four.
      let a = 0;
      let b = 0;
      let c = 0;
      let d = 0;
      for (let tap = 0; tap < width; tap += 4) {
        a += input[from + tap]! * taps[row + tap]!;
        b += input[from + tap + 1]! * taps[row + tap + 1]!;
        c += input[from + tap + 2]! * taps[row + tap + 2]!;
        d += input[from + tap + 3]! * taps[row + tap + 3]!;
      }
      output[made] = a + b + (c + d);
      const next = now + decimation;
      const step = Math.floor(next / interpolation);
      from += step;
      now = next - step * interpolation;
    }
  };
}
