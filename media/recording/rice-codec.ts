import { MediaError } from '../errors.js';

/** Number of samples that share a predictor and a Rice parameter. */
const BLOCK = 256;
/** Special values of the parameter: all samples are zero; the samples are not compressed. */
const SILENT = 30;
const RAW = 31;

/**
 * Compresses 16-bit samples without loss like FLAC: each block is predicted by a polynomial of order 0 to 3,
 * and the residuals are Rice-coded. Speech shrinks to about half its size, silence to one byte per block.
 * Source: RFC 9639, 9.2.5 and 9.2.7; the layout differs.
 */
export function encodeRice(samples: Int16Array): Uint8Array<ArrayBuffer> {
  const blocks = Math.ceil(samples.length / BLOCK);
  const bits = new BitWriter(blocks + samples.length * 2);
  const folded = new Uint32Array(BLOCK);
  for (let from = 0; from < samples.length; from += BLOCK) {
    const count = Math.min(BLOCK, samples.length - from);
    packBlock(samples, { from, count, folded, bits });
  }
  return bits.finish();
}

/**
 * Decompresses the output of `encodeRice`.
 * @param samples - receives the result; must have the original number of samples
 * @throws MediaError INVALID_INPUT if bytes are missing
 */
export function decodeRice(bytes: Uint8Array, samples: Int16Array): void {
  const bits = new BitReader(bytes);
  for (let from = 0; from < samples.length; from += BLOCK) {
    const end = Math.min(from + BLOCK, samples.length);
    const head = bits.read(8);
    const parameter = head & 31;
    if (parameter === SILENT) samples.fill(0, from, end);
    else if (parameter === RAW) {
      for (let i = from; i < end; i++) samples[i] = bits.read(16);
    } else {
      for (let i = from; i < end; i++) {
        const folded = (bits.zeros() << parameter) | bits.read(parameter);
        const rest = (folded >>> 1) ^ -(folded & 1);
        samples[i] = rest + predicted(samples, i, head >> 6);
      }
    }
    bits.align();
  }
}

interface Block {
  readonly from: number;
  readonly count: number;
  /** Buffer for the residuals. */
  readonly folded: Uint32Array;
  readonly bits: BitWriter;
}

function packBlock(samples: Int16Array, { from, count, folded, bits }: Block): void {
  const order = bestOrder(samples, from, count);
  if (order === undefined) {
    bits.write(SILENT, 8);
    return;
  }
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const rest = samples[from + i]! - predicted(samples, from + i, order);
    folded[i] = rest < 0 ? -2 * rest - 1 : 2 * rest;
    sum += folded[i]!;
  }
  let parameter = 0;
  while (count * 2 ** (parameter + 1) <= sum) parameter++;
  let length = count * (parameter + 1);
  for (let i = 0; i < count; i++) length += folded[i]! >>> parameter;
  if (length >= count * 16) {
    bits.write(RAW, 8);
    for (let i = 0; i < count; i++) bits.write(samples[from + i]! & 0xffff, 16);
  } else {
    bits.write((order << 6) | parameter, 8);
    for (let i = 0; i < count; i++) {
      bits.writeZeros(folded[i]! >>> parameter);
      bits.write(folded[i]! & ((1 << parameter) - 1), parameter);
    }
  }
  bits.align();
}

/** Returns the order with the smallest residuals; undefined if all samples are zero. */
function bestOrder(samples: Int16Array, from: number, count: number): number | undefined {
  const left = [0, 0, 0, 0];
  for (let i = from; i < from + count; i++) {
    const now = samples[i]!;
    const a = i > 0 ? samples[i - 1]! : 0;
    const b = i > 1 ? samples[i - 2]! : 0;
    const c = i > 2 ? samples[i - 3]! : 0;
    left[0]! += Math.abs(now);
    left[1]! += Math.abs(now - a);
    left[2]! += Math.abs(now - 2 * a + b);
    left[3]! += Math.abs(now - 3 * a + 3 * b - c);
  }
  if (left[0] === 0) return undefined;
  return left.indexOf(Math.min(...left));
}

function predicted(samples: Int16Array, at: number, order: number): number {
  if (order === 0) return 0;
  const a = at > 0 ? samples[at - 1]! : 0;
  if (order === 1) return a;
  const b = at > 1 ? samples[at - 2]! : 0;
  if (order === 2) return 2 * a - b;
  const c = at > 2 ? samples[at - 3]! : 0;
  return 3 * a - 3 * b + c;
}

class BitWriter {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  #at = 0;
  #held = 0;
  #count = 0;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity + 1);
  }

  /** At most 24 bits. */
  write(value: number, bits: number): void {
    this.#held = (this.#held << bits) | value;
    this.#count += bits;
    while (this.#count >= 8) {
      this.#count -= 8;
      this.#bytes[this.#at++] = this.#held >>> this.#count;
    }
    this.#held &= (1 << this.#count) - 1;
  }

  /** A unary code: `count` zeros and a one. */
  writeZeros(count: number): void {
    let left = count;
    for (; left >= 16; left -= 16) this.write(0, 16);
    this.write(1, left + 1);
  }

  align(): void {
    if (this.#count > 0) this.write(0, 8 - this.#count);
  }

  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#at);
  }
}

class BitReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #held = 0;
  #count = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  read(bits: number): number {
    while (this.#count < bits) this.#fill();
    this.#count -= bits;
    const value = this.#held >>> this.#count;
    this.#held &= (1 << this.#count) - 1;
    return value;
  }

  /** Reads zeros up to the next one. @returns their number */
  zeros(): number {
    let count = 0;
    while (this.#held === 0) {
      count += this.#count;
      this.#count = 0;
      this.#fill();
    }
    const zeros = Math.clz32(this.#held) - (32 - this.#count);
    this.read(zeros + 1);
    return count + zeros;
  }

  align(): void {
    this.#count -= this.#count % 8;
    this.#held &= (1 << this.#count) - 1;
  }

  #fill(): void {
    if (this.#at >= this.#bytes.length) {
      throw new MediaError('INVALID_INPUT', 'The compressed samples are incomplete');
    }
    this.#held = (this.#held << 8) | this.#bytes[this.#at++]!;
    this.#count += 8;
  }
}
