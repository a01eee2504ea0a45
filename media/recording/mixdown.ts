import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { Resampler } from '../audio/resampler.js';
import { SampleQueue } from '../audio/sample-queue.js';
import {
  BLOCK_LENGTH,
  createMp3Channels,
  MP3_DELAY,
  type Mp3Channels,
  type Mp3Program,
} from '../codec/mp3.js';
import { LegReader } from './leg-reader.js';
import { type SpoolSummary, summariseSpool } from './spool-reader.js';
import type { Leg } from './spool-record.js';

/** Sample rate of a mixdown in Hz. */
const MIXDOWN_SAMPLE_RATE = 24_000;
/** Duration in ms that is read from a leg at a time. */
const STEP_MS = 200;

/** Input and output of a mixdown. */
export interface MixdownOptions {
  readonly spoolPath: string;
  /** Path of the MP3 file; an existing file is replaced. */
  readonly outPath: string;
  /** 2: the caller on the left, the agent on the right; 1: the sum of both. */
  readonly channels: 1 | 2;
  readonly mp3Program: Mp3Program;
}

/**
 * Writes a spool as an MP3 file, in slices. The first 46 ms of audio are replaced by the encoder's delay,
 * which is silent, so that decoded audio has its original position.
 */
export class Mixdown {
  /** Duration of the file in ms. */
  readonly durationMs: number;
  readonly #mixed: MixedLegs;
  readonly #encoder: Mp3Channels;
  readonly #file: number;
  #isDone = false;

  private constructor(options: MixdownOptions, spool: SpoolSummary, encoder: Mp3Channels) {
    this.durationMs = spool.durationMs;
    this.#encoder = encoder;
    this.#mixed = new MixedLegs(options, spool);
    this.#file = openSync(options.outPath, 'w', 0o600);
  }

  /** @throws MediaError INVALID_INPUT if no record of the spool is readable */
  static async open(options: MixdownOptions): Promise<Mixdown> {
    const { spoolPath, channels, mp3Program } = options;
    const spool = summariseSpool(spoolPath);
    const kilobitsPerSecond = channels === 2 ? 64 : 48;
    const encoder = await createMp3Channels(
      { sampleRate: MIXDOWN_SAMPLE_RATE, kilobitsPerSecond, channels },
      mp3Program,
    );
    return new Mixdown(options, spool, encoder);
  }

  /** Works for about `ms` milliseconds. @returns whether the file is complete and synced to the disk */
  step(ms: number): boolean {
    const until = performance.now() + ms;
    const keep = (bytes: Uint8Array) => this.#write(bytes);
    while (performance.now() < until && !this.#isDone) {
      const block = this.#mixed.next();
      if (block) this.#encoder.push(block, keep);
      else {
        this.#isDone = true;
        this.#encoder.flush(keep);
        fsyncSync(this.#file);
      }
    }
    return this.#isDone;
  }

  /** Releases the file and the encoder. May be called before the file is complete. */
  close(): void {
    this.#mixed.close();
    if (!this.#isDone) this.#encoder.flush(() => undefined);
    closeSync(this.#file);
  }

  #write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
  }
}

/** Both legs at the rate of the file, in blocks for the encoder. */
class MixedLegs {
  readonly #channels: 1 | 2;
  readonly #legs: readonly [ResampledLeg, ResampledLeg];
  #left: number;

  constructor({ spoolPath, channels }: MixdownOptions, { rates, durationMs }: SpoolSummary) {
    this.#channels = channels;
    this.#legs = [
      new ResampledLeg(spoolPath, 'caller', rates.caller),
      new ResampledLeg(spoolPath, 'agent', rates.agent),
    ];
    for (const leg of this.#legs) leg.skip(MP3_DELAY);
    // At least one block, so that the file of an empty call is playable.
    this.#left = Math.max(1, Math.round((durationMs * MIXDOWN_SAMPLE_RATE) / 1000) - MP3_DELAY);
  }

  /** Returns the next block of each channel, valid until the next call; undefined at the end. */
  next(): readonly Float32Array[] | undefined {
    if (this.#left <= 0) return undefined;
    const length = Math.min(BLOCK_LENGTH, this.#left);
    this.#left -= length;
    const [caller, agent] = this.#legs;
    const left = caller.read(length);
    const right = agent.read(length);
    if (this.#channels === 2) return [left, right];
    for (let i = 0; i < length; i++) left[i]! += right[i]!;
    return [left];
  }

  close(): void {
    for (const leg of this.#legs) leg.close();
  }
}

class ResampledLeg {
  readonly #sound: LegReader;
  readonly #step: Float32Array;
  readonly #resampler: Resampler;
  readonly #ready = new SampleQueue();
  readonly #block = new Float32Array(BLOCK_LENGTH);

  constructor(path: string, leg: Leg, rate: number) {
    this.#sound = new LegReader(path, leg);
    this.#step = new Float32Array((rate * STEP_MS) / 1000);
    this.#resampler = new Resampler(rate, MIXDOWN_SAMPLE_RATE);
  }

  /** @returns a buffer that is valid until the next call */
  read(length: number): Float32Array {
    this.#need(length);
    const block = this.#block.subarray(0, length);
    block.set(this.#ready.peek(0, length));
    this.#ready.drop(length);
    return block;
  }

  skip(length: number): void {
    this.#need(length);
    this.#ready.drop(length);
  }

  close(): void {
    this.#sound.close();
  }

  #need(length: number): void {
    while (this.#ready.length < length) {
      this.#sound.read(this.#step);
      this.#resampler.push(this.#step, (samples) => this.#ready.push(samples));
    }
  }
}
