import { Framing } from '../audio/framing.js';
import { CALLER_SAMPLE_RATE } from '../audio/pcm.js';
import { Resampler } from '../audio/resampler.js';
import { SampleQueue } from '../audio/sample-queue.js';
import type { Emit, Stage } from '../audio/stage.js';

/** Samples of one frame of the model: 10 ms at 48 kHz. */
export const DENOISER_FRAME = 480;
const MODEL_RATE = 48_000;
/** Delay of the model in samples at 16 kHz: one frame, 10 ms. */
const DELAY = 160;
/** Samples of silence (40 ms) that flush the delays of the model and both resamplers. */
const FLUSH = 640;
/** Samples of the cross-fade between the original and the cleaned signal: 20 ms. */
const FADE = 320;
/**
 * Share of the original signal in the output, which limits the reduction to 10 dB. Source: our
 * measurements. With full reduction the recogniser makes more errors: white noise at 5 dB gave 25 word
 * errors of 103 instead of 10; with this share it gave 10.
 */
const ORIGINAL_SHARE = 0.3;

/** Removes the noise from a frame of `DENOISER_FRAME` samples (48 kHz, −1…1) in place. */
export type CleanFrame = (frame: Float32Array) => void;

/**
 * Cleans a stretch of one stream's audio (mono, 16 kHz, −1…1). The output has the same length as the input
 * and is emitted about 15 ms later. The stretch fades from and to the original signal.
 */
export class Denoiser implements Stage<Float32Array, Float32Array> {
  readonly #clean: CleanFrame;
  readonly #up = new Resampler(CALLER_SAMPLE_RATE, MODEL_RATE);
  readonly #down = new Resampler(MODEL_RATE, CALLER_SAMPLE_RATE);
  readonly #frames = new Framing(DENOISER_FRAME);
  readonly #raw = new SampleQueue();
  readonly #runIn: number;
  /** Number of cleaned samples, including the model's delay. */
  #made = 0;
  /** Position of the oldest sample in `#raw`, counted from the start of the run-in. */
  #position = 0;
  /** Position of the end of the stretch; infinite until `flush`. */
  #end = Number.POSITIVE_INFINITY;
  #output = new Float32Array(0);

  /**
   * @param clean - the model, with its own state for this stretch
   * @param runIn - audio before the stretch, to which the model adapts; not emitted
   */
  constructor(clean: CleanFrame, runIn: Float32Array) {
    this.#clean = clean;
    this.#runIn = runIn.length;
    this.#feed(runIn, () => undefined);
  }

  push(samples: Float32Array, emit: Emit<Float32Array>): void {
    this.#feed(samples, emit);
  }

  /** Ends the stretch and emits the samples that are still delayed. */
  flush(emit: Emit<Float32Array>): void {
    this.#end = this.#position + this.#raw.length;
    this.#process(new Float32Array(FLUSH), emit);
  }

  #feed(samples: Float32Array, emit: Emit<Float32Array>): void {
    this.#raw.push(samples);
    this.#process(samples, emit);
  }

  #process(samples: Float32Array, emit: Emit<Float32Array>): void {
    this.#up.push(samples, (fast) => {
      this.#frames.push(fast, (frame) => {
        this.#clean(frame);
        this.#down.push(frame, (cleaned) => this.#join(cleaned, emit));
      });
    });
  }

  #join(cleaned: Float32Array, emit: Emit<Float32Array>): void {
    const skipped = Math.min(cleaned.length, Math.max(0, DELAY - this.#made));
    this.#made += cleaned.length;
    const count = Math.min(cleaned.length - skipped, this.#raw.length);
    if (this.#output.length < count) this.#output = new Float32Array(count);
    const raw = this.#raw.peek(0, count);
    for (let i = 0; i < count; i++) {
      const share = (1 - ORIGINAL_SHARE) * this.#fadeAt(this.#position + i);
      this.#output[i] = raw[i]! + share * (cleaned[skipped + i]! - raw[i]!);
    }
    const first = Math.min(count, Math.max(0, this.#runIn - this.#position));
    this.#raw.drop(count);
    this.#position += count;
    if (count > first) emit(this.#output.subarray(first, count));
  }

  #fadeAt(position: number): number {
    return Math.max(0, Math.min(1, (position - this.#runIn) / FADE, (this.#end - position) / FADE));
  }
}
