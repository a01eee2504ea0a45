import { CALLER_SAMPLE_RATE, concat } from '../audio/pcm.js';
import { SampleQueue } from '../audio/sample-queue.js';
import { MediaError, type MediaErrorCode } from '../errors.js';
import type { NoiseReductionOptions, NoiseReductionStream } from './noise-reduction.js';

/** Samples before the noisy stretch to which the model adapts: 0.3 s. */
const RUN_IN = 4_800;
/** Maximum number of samples per job: 0.2 s. A stream with a backlog must not delay the others. */
const MAX_IN_JOB = 3_200;
/** Minimum number of samples per job: 20 ms. Each job costs two messages between threads. */
const MIN_IN_JOB = 320;
/** Maximum backlog in samples: 13 s. A client that reconnects may send 12 s at once. */
const MAX_WAITING = 13 * CALLER_SAMPLE_RATE;
/** After this number of consecutive lost jobs with its audio, a stream is not cleaned any more: it may be the cause. */
const MAX_LOSSES = 3;

/** Audio of one stretch in a job. */
export interface RnnoiseBlock {
  /** Id of the stretch, chosen by the client. Each noisy stretch of a stream has another id. */
  readonly id: number;
  /** Number of leading samples that are run-in. Set in the first block of a stretch only. */
  readonly runIn?: number;
  /** Number of samples in the job's buffer, including the run-in. */
  readonly length: number;
  readonly isLast: boolean;
}

/** Result for one block. */
export type CleanedPart =
  | { readonly ok: true /** Number of samples in the reply's buffer. */; readonly length: number }
  /** The worker has dropped the state of this stretch; the others continue. */
  | { readonly ok: false; readonly code: MediaErrorCode; readonly message: string };

/** Jobs of the noise reduction's worker. */
export type RnnoiseJobs = {
  /**
   * Cleans blocks of several streams; their samples are one after the other in `samples`. A reply may have
   * fewer samples than its job; later replies contain the rest.
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

/** A block for the worker, with its samples. */
export interface BlockToClean {
  readonly part: RnnoiseBlock;
  readonly samples: Float32Array;
}

interface Owner {
  /** Returns a unique id for a stretch. */
  nextId(): number;
  /** Called when the stream has audio for the worker. */
  wake(): void;
  /** Called when the worker's state of a stretch is no longer needed. */
  forget(id: number): void;
}

/**
 * The state of one stream on the main thread. It keeps a copy of the audio that the worker has not returned,
 * so that the stream continues without a gap if the worker is lost.
 */
export class RnnoiseStream implements NoiseReductionStream {
  readonly #options: NoiseReductionOptions;
  readonly #owner: Owner;
  /** Samples that are not emitted yet: first those in the worker, then those that wait for it. */
  readonly #pending = new SampleQueue();
  /** The last emitted samples, before cleaning. */
  readonly #before = new SampleQueue();
  #sent = 0;
  #id: number | undefined;
  #isBegun = false;
  /** Number of samples in `#pending` that belong to the ending stretch; undefined if it continues. */
  #endsAt: number | undefined;
  #wantsCleaning = false;
  #isGivenUp = false;
  #losses = 0;
  #isClosed = false;

  constructor(options: NoiseReductionOptions, owner: Owner) {
    this.#options = options;
    this.#owner = owner;
  }

  /** The last worker with audio of this stream was lost. Its audio is now sent in separate jobs. */
  get isSuspect(): boolean {
    return this.#losses > 0;
  }

  push(samples: Float32Array, isNoisy: boolean): void {
    if (this.#isClosed) return;
    this.#pending.push(samples);
    this.#wantsCleaning = isNoisy && !this.#isGivenUp;
    if (this.#pending.length > MAX_WAITING) {
      this.giveUp(new MediaError('QUEUE_FULL', 'The noise reduction is slower than the audio'));
    }
    this.#proceed();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#leaveWorker();
  }

  /** Stops the cleaning for good: audio passes unchanged, including the audio that the worker has not returned. */
  giveUp(error: unknown): void {
    if (this.#isGivenUp || this.#isClosed) return;
    this.#isGivenUp = true;
    this.#wantsCleaning = false;
    this.#leaveWorker();
    this.#proceed();
    this.#options.onFault(error);
  }

  /**
   * Continues after the loss of the worker. Audio that was in the worker passes unchanged; the next worker
   * starts with new state.
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
    // Audio that may have crashed the worker must not become the run-in of the next one.
    this.#before.drop(this.#before.length);
    this.#wantsCleaning = wantsCleaning;
  }

  /** Returns the next block for the worker; undefined if there is too little audio. */
  take(): BlockToClean | undefined {
    const id = this.#id;
    if (id === undefined) return undefined;
    const end = this.#endsAt ?? this.#pending.length;
    const to = Math.min(end, this.#sent + MAX_IN_JOB);
    const isLast = this.#endsAt !== undefined && to === end;
    if (!isLast && to - this.#sent < MIN_IN_JOB) return undefined;
    if (isLast && this.#sent > end) return undefined;
    const more = this.#pending.peek(this.#sent, to);
    // One past the end marks that the last block was sent.
    this.#sent = isLast ? end + 1 : to;
    if (this.#isBegun) return { part: { id, length: more.length, isLast }, samples: more };
    this.#isBegun = true;
    const runIn = this.#before.peek(0, this.#before.length);
    const samples = concat(Float32Array, [runIn, more]);
    return { part: { id, runIn: runIn.length, length: samples.length, isLast }, samples };
  }

  /** Receives the cleaned samples of a block. Samples of a stretch that is over are ignored. */
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
