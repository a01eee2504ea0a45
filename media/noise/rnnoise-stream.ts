import { CALLER_SAMPLE_RATE, concat } from '../audio/pcm.js';
import { SampleQueue } from '../audio/sample-queue.js';
import { MediaError } from '../errors.js';
import type { NoiseReductionOptions, NoiseReductionStream } from './noise-reduction.js';
import type { RnnoiseBlock } from './rnnoise-jobs.js';

/** What the model hears of the sound before the line became noisy: 0.3 s. */
const RUN_IN = 4_800;
/** In one job at the most, so that a line that is behind holds up no other: 0.2 s. */
const MAX_IN_JOB = 3_200;
/** In one job at the least, as each costs a hop between threads: 20 ms. */
const MIN_IN_JOB = 320;
/** A client that comes back after its wire broke may bring 12 s at once; more than this waits for nothing. */
const MAX_WAITING = 13 * CALLER_SAMPLE_RATE;
/** Workers that were lost in a row while they had audio of a line: the line may be the reason. */
const MAX_LOSSES = 3;

/** A part of a line for the worker, and its samples. */
export interface BlockToClean {
  readonly part: RnnoiseBlock;
  readonly samples: Float32Array;
}

interface Owner {
  /** A number that no other stretch of audio has. */
  nextId(): number;
  /** There is something for the worker. */
  wake(): void;
  /** The worker may forget this stretch. */
  forget(id: number): void;
}

/**
 * One line as the worker's client keeps it. Everything that has not come back is kept as it was, so
 * that the line goes on untouched, without a gap, whatever becomes of the worker.
 */
export class RnnoiseStream implements NoiseReductionStream {
  readonly #options: NoiseReductionOptions;
  readonly #owner: Owner;
  /** Not emitted yet: first what the worker has, then what waits for it. */
  readonly #pending = new SampleQueue();
  /** The last samples that were emitted, before they were cleaned. */
  readonly #before = new SampleQueue();
  #sent = 0;
  #id: number | undefined;
  #isBegun = false;
  /** How much of `#pending` belongs to the stretch that is ending. */
  #endsAt: number | undefined;
  #wantsCleaning = false;
  #isGivenUp = false;
  #losses = 0;
  #isClosed = false;

  constructor(options: NoiseReductionOptions, owner: Owner) {
    this.#options = options;
    this.#owner = owner;
  }

  /** The last worker that had audio of this line was lost: the line goes over alone for now. */
  get isSuspect(): boolean {
    return this.#losses > 0;
  }

  push(samples: Float32Array, isNoisy: boolean): void {
    if (this.#isClosed) return;
    this.#pending.push(samples);
    this.#wantsCleaning = isNoisy && !this.#isGivenUp;
    if (this.#pending.length > MAX_WAITING) {
      this.giveUp(new MediaError('QUEUE_FULL', 'The noise reduction does not keep up'));
    }
    this.#proceed();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#leaveWorker();
  }

  /** From now on the line passes untouched, beginning with what has not come back. */
  giveUp(error: unknown): void {
    if (this.#isGivenUp || this.#isClosed) return;
    this.#isGivenUp = true;
    this.#wantsCleaning = false;
    this.#leaveWorker();
    this.#proceed();
    this.#options.onFault(error);
  }

  /**
   * Continues after the worker was lost. Audio that was in the worker passes unchanged; the next worker
   * starts with fresh state.
   * @param wasInJob - whether the lost job contained audio of this stream
   */
  restart(error: unknown, wasInJob: boolean): void {
    if (wasInJob && ++this.#losses === MAX_LOSSES) {
      this.giveUp(error);
      return;
    }
    const wantsCleaning = this.#wantsCleaning;
    this.#wantsCleaning = false;
    this.#leaveWorker();
    this.#proceed();
    // What may have cost the worker does not come back as the next one's run-in.
    this.#before.drop(this.#before.length);
    this.#wantsCleaning = wantsCleaning;
  }

  /** What the worker should do next for this line, if there is enough of it. */
  take(): BlockToClean | undefined {
    const id = this.#id;
    if (id === undefined) return undefined;
    const end = this.#endsAt ?? this.#pending.length;
    const to = Math.min(end, this.#sent + MAX_IN_JOB);
    const isLast = this.#endsAt !== undefined && to === end;
    if (!isLast && to - this.#sent < MIN_IN_JOB) return undefined;
    if (isLast && this.#sent > end) return undefined;
    const more = this.#pending.peek(this.#sent, to);
    // One past the end: what is over is not taken again.
    this.#sent = isLast ? end + 1 : to;
    if (this.#isBegun) return { part: { id, length: more.length, isLast }, samples: more };
    this.#isBegun = true;
    const runIn = this.#before.peek(0, this.#before.length);
    const samples = concat(Float32Array, [runIn, more]);
    return { part: { id, runIn: runIn.length, length: samples.length, isLast }, samples };
  }

  /** What came back for the stretch `id`. */
  cleaned({ id, isLast }: RnnoiseBlock, samples: Float32Array): void {
    if (this.#id !== id) return;
    this.#losses = 0;
    this.#sent -= samples.length;
    if (this.#endsAt !== undefined) this.#endsAt -= samples.length;
    if (isLast) {
      this.#id = undefined;
      this.#endsAt = undefined;
    }
    try {
      this.#emit(samples);
    } finally {
      if (isLast) this.#proceed();
    }
  }

  #proceed(): void {
    if (this.#id === undefined) {
      if (this.#wantsCleaning) this.#begin();
      else this.#emit(this.#pending.peek(0, this.#pending.length).slice());
    } else if (!this.#wantsCleaning) this.#endsAt ??= this.#pending.length;
    if (this.#id !== undefined) this.#owner.wake();
  }

  #begin(): void {
    this.#id = this.#owner.nextId();
    this.#isBegun = false;
    this.#sent = 0;
  }

  #leaveWorker(): void {
    if (this.#id !== undefined) this.#owner.forget(this.#id);
    this.#id = undefined;
    this.#endsAt = undefined;
  }

  #emit(samples: Float32Array): void {
    this.#before.push(this.#pending.peek(0, samples.length));
    this.#before.drop(Math.max(0, this.#before.length - RUN_IN));
    this.#pending.drop(samples.length);
    if (samples.length > 0 && !this.#isClosed) this.#options.onSamples(samples);
  }
}
