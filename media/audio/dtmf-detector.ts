import { COLUMNS, KEYS, ROWS } from './dtmf-tones.js';
import { energyOf } from './pcm.js';

const BLOCK_MS = 20;
const HOP_MS = 10;
/** Consecutive blocks with the same key: 40 ms, the minimum duration of a tone. Source: ITU-T Q.24. */
const HITS = 3;
/** Consecutive blocks without a key before the same key counts again. */
const MISSES = 2;
/** Minimum share of the two tones in a block's energy; speech has more frequencies. */
const PURITY = 0.7;
/** Minimum power ratio of the strongest tone of a group to the second strongest. */
const CLEARNESS = 4;
/** Maximum power ratio of the two tones: 8 dB. */
const TWIST = 6.3;
/** Minimum mean power of a block, full scale 1: −36 dBFS. */
const LOUDNESS = 2.5e-4;

/** Detects DTMF keys in audio and reports each key press once, about 40 ms after its start. */
export class DtmfDetector {
  readonly #onKey: (key: string) => void;
  readonly #block: Float32Array;
  readonly #hop: number;
  readonly #rowFactors: readonly number[];
  readonly #columnFactors: readonly number[];
  #filled = 0;
  #candidate: string | undefined;
  #hits = 0;
  #misses = 0;
  #pressed: string | undefined;

  /**
   * @param sampleRate - Hz; a multiple of 100
   * @param onKey - receives one character of `KEYS`
   */
  constructor(sampleRate: number, onKey: (key: string) => void) {
    this.#onKey = onKey;
    this.#block = new Float32Array((sampleRate * BLOCK_MS) / 1000);
    this.#hop = (sampleRate * HOP_MS) / 1000;
    const factor = (hz: number) => 2 * Math.cos((2 * Math.PI * hz) / sampleRate);
    this.#rowFactors = ROWS.map(factor);
    this.#columnFactors = COLUMNS.map(factor);
  }

  /** @param pcm - mono, 16-bit, of any length; not kept */
  push(pcm: Int16Array): void {
    const block = this.#block;
    for (let read = 0; read < pcm.length; ) {
      const count = Math.min(pcm.length - read, block.length - this.#filled);
      for (let i = 0; i < count; i++) block[this.#filled + i] = pcm[read + i]! / 32768;
      read += count;
      this.#filled += count;
      if (this.#filled < block.length) return;
      this.#onBlock(this.#keyOfBlock());
      block.copyWithin(0, this.#hop);
      this.#filled -= this.#hop;
    }
  }

  #onBlock(key: string | undefined): void {
    if (key !== undefined && key === this.#pressed) {
      this.#misses = 0;
      return;
    }
    if (key === undefined && ++this.#misses >= MISSES) this.#pressed = undefined;
    if (key !== undefined) this.#misses = 0;
    this.#hits = key !== undefined && key === this.#candidate ? this.#hits + 1 : 1;
    this.#candidate = key;
    if (key === undefined || this.#hits < HITS) return;
    this.#pressed = key;
    this.#onKey(key);
  }

  #keyOfBlock(): string | undefined {
    const block = this.#block;
    const energy = energyOf(block);
    if (energy < LOUDNESS * block.length) return undefined;
    const row = strongest(block, this.#rowFactors);
    const column = strongest(block, this.#columnFactors);
    if (!row || !column) return undefined;
    const isEven = row.power < TWIST * column.power && column.power < TWIST * row.power;
    // A tone of amplitude a has the energy n·a²/2 in a block of n samples; `goertzel` returns (n·a/2)².
    const share = (2 * (row.power + column.power)) / (block.length * energy);
    return isEven && share >= PURITY ? KEYS[row.index * 4 + column.index] : undefined;
  }
}

/** The strongest tone; undefined if none is clearly the strongest. */
function strongest(block: Float32Array, factors: readonly number[]) {
  let index = 0;
  let power = 0;
  let next = 0;
  for (let i = 0; i < factors.length; i++) {
    const found = goertzel(block, factors[i]!);
    if (found > power) {
      next = power;
      power = found;
      index = i;
    } else if (found > next) next = found;
  }
  return power > CLEARNESS * next ? { index, power } : undefined;
}

/**
 * The squared magnitude of one frequency in a block. Source: G. Goertzel, 1958.
 * @param factor - 2·cos(2π·f ÷ sample rate)
 */
function goertzel(block: Float32Array, factor: number): number {
  let before = 0;
  let last = 0;
  for (let i = 0; i < block.length; i++) {
    const now = block[i]! + factor * last - before;
    before = last;
    last = now;
  }
  return last * last + before * before - factor * last * before;
}
