import { CALLER_SAMPLE_RATE, concat } from '../audio/pcm.js';
import { SampleQueue } from '../audio/sample-queue.js';
import { MediaError, type MediaErrorCode } from '../errors.js';
import type { NoiseReductionOptions, NoiseReductionStream } from './noise-reduction.js';

/** Audio before the noisy stretch from which the model learns the noise: 0.3 s. */
const RUN_IN = 4_800;
/** Maximum per job, so that a stream with a backlog does not delay the others: 0.2 s. */
const MAX_IN_JOB = 3_200;
/** Minimum per job, because each job costs a thread hop: 20 ms. */
const MIN_IN_JOB = 320;
/** Maximum backlog in samples. A client that reconnects may deliver 12 s at once. */
const MAX_WAITING = 13 * CALLER_SAMPLE_RATE;
/** A stream whose audio was in this many lost jobs in a row is not cleaned any more: it may be the cause. */
const MAX_LOSSES = 3;

/** Audio of one stretch in a job. The client chooses the id; each noisy stretch of a stream has its own. */
export interface RnnoiseBlock {
  readonly id: number;
  /** Only in a stretch's first block: number of leading samples that are run-in. */
  readonly runIn?: number;
  /** Samples in the job's buffer. */
  readonly length: number;
  readonly isLast: boolean;
}

/** Result for one block. */
export type CleanedPart =
  | { readonly ok: true /** Samples in the reply's buffer. */; readonly length: number }
  /** The worker has dropped the state of this stretch; the others continue. */
  | { readonly ok: false; readonly code: MediaErrorCode; readonly message: string };

/** Jobs of the noise reduction's worker. */
export type RnnoiseJobs = {
  /**
   * Cleans blocks of many streams, one after the other in `samples`. The reply may have fewer samples;
   * the rest comes with later replies.
   */
  readonly clean: {
    readonly input: {
      readonly parts: readonly RnnoiseBlock[];
      readonly samples: Float32Array;
      /** Stretches whose state is no longer needed. */
      readonly closed: readonly number[];
    };
    readonly output: { readonly parts: readonly CleanedPart[]; readonly samples: Float32Array };
  };
  /** Number of stretches with state in the worker. */
  readonly count: { readonly input: null; readonly output: number };
};

/** A block for the worker and its samples. */
export interface BlockToClean {
  readonly part: RnnoiseBlock;
  readonly samples: Float32Array;
}

interface Owner {
  /** A unique id for a stretch. */
  nextId(): number;
  /** Called when the stream has audio for the worker. */
  wake(): void;
  /** Called when the worker's state of a stretch is no longer needed. */
  forget(id: number): void;
}

/**
 * One stream on the client's side. Audio that the worker has not returned stays here unchanged, so that
 * the stream continues without a gap if the worker is lost.
 */
export class RnnoiseStream implements NoiseReductionStream {
  readonly #options: NoiseReductionOptions;
  readonly #owner: Owner;
  /** Not emitted yet: first the samples in the worker, then those that wait for it. */
  readonly #pending = new SampleQueue();
  /** The last emitted samples, before cleaning. */
  readonly #before = new SampleQueue();
  #sent = 0;
  #id: number | undefined;
  #isBegun = false;
  /** Samples of `#pending` that belong to the stretch that is ending. */
  #endsAt: number | undefined;
  #wantsCleaning = false;
  #isGivenUp = false;
  #losses = 0;
  #isClosed = false;

  constructor(options: NoiseReductionOptions, owner: Owner) {
    this.#options = options;
    this.#owner = owner;
  }

  /** The last worker that had audio of this stream was lost: its audio goes into separate jobs. */
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

  /** From now on the stream passes unchanged, including the audio that the worker has not returned. */
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
    // Audio that may have crashed the worker must not be the next one's run-in.
    this.#before.drop(this.#before.length);
    this.#wantsCleaning = wantsCleaning;
  }

  /** The next block for the worker, or undefined if there is too little audio for one. */
  take(): BlockToClean | undefined {
    const id = this.#id;
    if (id === undefined) return undefined;
    const end = this.#endsAt ?? this.#pending.length;
    const to = Math.min(end, this.#sent + MAX_IN_JOB);
    const isLast = this.#endsAt !== undefined && to === end;
    if (!isLast && to - this.#sent < MIN_IN_JOB) return undefined;
    if (isLast && this.#sent > end) return undefined;
    const more = this.#pending.peek(this.#sent, to);
    // One past the end: a stretch has one last block only.
    this.#sent = isLast ? end + 1 : to;
    if (this.#isBegun) return { part: { id, length: more.length, isLast }, samples: more };
    this.#isBegun = true;
    const runIn = this.#before.peek(0, this.#before.length);
    const samples = concat(Float32Array, [runIn, more]);
    return { part: { id, runIn: runIn.length, length: samples.length, isLast }, samples };
  }

  /** Receives the cleaned samples of a block; ignores those of a stretch that is over. */
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
