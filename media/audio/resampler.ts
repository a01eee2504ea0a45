import { type FilterBank, filterBank } from './filter-bank.js';
import type { Emit, Stage } from './stage.js';

/**
 * Changes the sample rate of one mono stream. The pass band is flat up to 0.88 of the lower rate's Nyquist
 * frequency. Frequencies above the Nyquist frequency are attenuated by at least 60 dB.
 *
 * The output for the time t is available once the input has reached t + `delayMs`. The delay is removed at
 * the start, and `flush` pads the input with silence. Output and input are therefore aligned, and n samples
 * become round(n × output rate ÷ input rate). The output does not depend on the chunk lengths.
 */
export class Resampler implements Stage<Float32Array, Float32Array> {
  readonly #bank: FilterBank | undefined;
  /** Input that an output needs after its own time, in ms; 0 if both rates are equal. */
  readonly delayMs: number;
  /** Input that later outputs need, oldest first, up to `#filled`. */
  #input: Float32Array;
  #filled = 0;
  /** Index of the oldest input that the next output needs, and the phase of that output. */
  #oldest = 0;
  #phase = 0;
  #output = new Float32Array(0);
  #received = 0;
  #produced = 0;

  /**
   * @param inputRate - Hz
   * @param outputRate - Hz; if equal, samples pass unchanged
   * @throws MediaError INVALID_INPUT if `filterBank` does not support the rates
   */
  constructor(inputRate: number, outputRate: number) {
    this.#bank = inputRate === outputRate ? undefined : filterBank(inputRate, outputRate);
    this.delayMs = this.#bank ? (this.#bank.halfWidth * 1000) / inputRate : 0;
    this.#input = new Float32Array(this.#bank ? this.#bank.halfWidth * 4 : 0);
    this.#reset();
  }

  push(chunk: Float32Array, emit: Emit<Float32Array>): void {
    const bank = this.#bank;
    if (!bank) {
      emit(chunk);
      return;
    }
    this.#received += chunk.length;
    this.#append(chunk);
    this.#produce(bank, Number.POSITIVE_INFINITY, emit);
  }

  /** Emits the remaining samples. After it, the next `push` starts a new stream. */
  flush(emit: Emit<Float32Array>): void {
    const bank = this.#bank;
    if (!bank) return;
    const total = Math.round((this.#received * bank.interpolation) / bank.decimation);
    this.#append(new Float32Array(bank.halfWidth + 1));
    this.#produce(bank, total - this.#produced, emit);
    this.#reset();
  }

  /** Starts with silence: the first outputs depend on input before the first sample. */
  #reset(): void {
    this.#filled = this.#bank ? this.#bank.halfWidth - 1 : 0;
    this.#input.fill(0, 0, this.#filled);
    this.#oldest = 0;
    this.#phase = 0;
    this.#received = 0;
    this.#produced = 0;
  }

  #append(chunk: Float32Array): void {
    // Drop input that no output needs. When downsampling, the next input may not have arrived.
    const done = Math.min(this.#oldest, this.#filled);
    this.#input.copyWithin(0, done, this.#filled);
    this.#filled -= done;
    this.#oldest -= done;
    const needed = this.#filled + chunk.length;
    if (needed > this.#input.length) {
      const larger = new Float32Array(needed * 2);
      larger.set(this.#input.subarray(0, this.#filled));
      this.#input = larger;
    }
    this.#input.set(chunk, this.#filled);
    this.#filled = needed;
  }

  #produce(bank: FilterBank, limit: number, emit: Emit<Float32Array>): void {
    const { interpolation, decimation, kernel } = bank;
    const width = 2 * bank.halfWidth;
    // The last output for which all `width` inputs have arrived.
    const steps = (this.#filled - width - this.#oldest + 1) * interpolation - this.#phase;
    const count = Math.min(limit, Math.max(0, Math.ceil(steps / decimation)));
    if (count <= 0) return;
    if (this.#output.length < count) this.#output = new Float32Array(count * 2);
    const input = this.#input.subarray(this.#oldest, this.#filled);
    kernel({ input, phase: this.#phase, count, output: this.#output });
    const next = this.#phase + count * decimation;
    const step = Math.floor(next / interpolation);
    this.#oldest += step;
    this.#phase = next - step * interpolation;
    this.#produced += count;
    emit(this.#output.subarray(0, count));
  }
}
