import { Framing } from '../audio/framing.js';
import { CALLER_SAMPLE_RATE } from '../audio/pcm.js';
import { Resampler } from '../audio/resampler.js';
import { SampleQueue } from '../audio/sample-queue.js';
import type { Emit, Stage } from '../audio/stage.js';

/** Samples of one frame of the model: 10 ms at 48 kHz. */
export const DENOISER_FRAME = 480;
const MODEL_RATE = 48_000;
/** The model answers one frame late: 10 ms. */
const DELAY = 160;
/** What pushes the last sample out: the model's delay and both resamplers'. */
const FLUSH = 640;
/** From one signal to the other: 20 ms. */
const FADE = 320;
/**
 * How much of the untouched sound stays, so that noise falls by 10 dB at the most. Source: our own
 * measurements: cleaned further, speech loses what the recogniser knows it by (at 5 dB of white noise
 * 25 word errors of 103 instead of 10; so it makes 10).
 */
const UNTOUCHED = 0.3;

/** Takes noise out of a frame of `DENOISER_FRAME` samples at 48 kHz, in place. */
export type CleanFrame = (frame: Float32Array) => void;

/**
 * Cleans a stretch of one line's audio (mono, 16 kHz). Each sample that comes out lies exactly over the
 * one that went in; it comes some 15 ms later. The stretch begins and ends in the untouched sound.
 */
export class Denoiser implements Stage<Float32Array, Float32Array> {
  readonly #clean: CleanFrame;
  readonly #up = new Resampler(CALLER_SAMPLE_RATE, MODEL_RATE);
  readonly #down = new Resampler(MODEL_RATE, CALLER_SAMPLE_RATE);
  readonly #frames = new Framing(DENOISER_FRAME);
  readonly #raw = new SampleQueue();
  readonly #runIn: number;
  /** Of the cleaned samples, the model's delay included. */
  #made = 0;
  /** Position of the oldest sample in `#raw`, run-in included. */
  #position = 0;
  /** Where the stretch ends, once that is known. */
  #end = Number.POSITIVE_INFINITY;
  #output = new Float32Array(0);

  /** @param runIn what came before, by which the model learns the noise; it does not come out. */
  constructor(clean: CleanFrame, runIn: Float32Array) {
    this.#clean = clean;
    this.#runIn = runIn.length;
    this.#feed(runIn, () => undefined);
  }

  push(samples: Float32Array, emit: Emit<Float32Array>): void {
    this.#feed(samples, emit);
  }

  /** Ends the stretch: all that is still missing comes out. */
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
      const share = (1 - UNTOUCHED) * this.#fadeAt(this.#position + i);
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
