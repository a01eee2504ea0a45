import { MediaError } from '../errors.js';
import type { CpuScheduler, Urgency } from '../runtime/cpu-scheduler.js';
import { ModelThread } from '../runtime/model-thread.js';
import type { Mp3Program } from './mp3.js';

/** Jobs of the encoder worker. The client assigns the stream ids. */
export type EncoderJobs = {
  /** Encodes more of a stream; the first job of a stream opens it, the last one ends it. */
  readonly encode: { readonly input: EncodeInput; readonly output: Uint8Array };
  /** Discards a stream that was not ended. */
  readonly drop: { readonly input: number; readonly output: null };
};

/** Input of the job `encode`. */
export interface EncodeInput {
  /** Id of the stream. */
  readonly stream: number;
  /** Set in a stream's first job only. */
  readonly open?: EncodedStreamOptions;
  /** Mono, −1…1, at the stream's `inputRate`. */
  readonly samples: Float32Array;
  readonly isLast: boolean;
}

/** Input and output of a stream. */
export interface EncodedStreamOptions {
  /** Name of an `AudioFormat`. */
  readonly format: string;
  /** Sample rate of the pushed samples in Hz. */
  readonly inputRate: number;
}

/** Worker data of the encoder worker. */
export interface EncoderSettings {
  readonly mp3Program: Mp3Program;
}

/** Resamples and encodes audio on a worker thread. Each job takes a CPU permit. */
export class EncoderThread {
  readonly #thread: ModelThread<EncoderJobs>;
  readonly #open = new Set<number>();
  #nextStream = 1;

  /** @param settings - default: the MP3 encoder in WebAssembly */
  constructor(scheduler: CpuScheduler, settings: EncoderSettings = { mp3Program: 'wasm' }) {
    const script = new URL('./encoder.worker.js', import.meta.url);
    this.#thread = new ModelThread({ script, workerData: settings, scheduler });
  }

  /** Streams that are neither finished nor cancelled. */
  get openStreams(): number {
    return this.#open.size;
  }

  /**
   * Opens a stream. The caller must finish or cancel it. The first `push` or `finish` fails with
   * INVALID_INPUT for an unknown format or an unsupported rate.
   */
  open(options: EncodedStreamOptions): EncodedStream {
    const id = this.#nextStream++;
    this.#open.add(id);
    return new EncodedStream(options, {
      encode: (job, urgency, signal) =>
        this.#thread.run(
          'encode',
          { ...job, stream: id },
          { ...urgency, signal, transfer: [job.samples.buffer] },
        ),
      // If the thread has died, its streams are gone already.
      drop: () => this.#thread.runUnscheduled('drop', id).catch(() => undefined),
      done: () => this.#open.delete(id),
    });
  }

  /**
   * Starts the thread and encodes 250 ms of silence in each format, so that later streams start at once.
   * @param formats - names of `AudioFormat`s
   * @param inputRate - Hz
   */
  async warm(formats: readonly string[], inputRate: number): Promise<void> {
    for (const format of formats) {
      const stream = this.open({ format, inputRate });
      const { signal } = new AbortController();
      await stream.push(new Float32Array(inputRate / 4), { priority: 'background', signal });
      await stream.finish({ priority: 'background', signal });
    }
  }

  /** Ends the thread; jobs of open streams fail with WORKER_DIED. */
  close(): Promise<void> {
    return this.#thread.close();
  }
}

interface StreamLink {
  encode(
    job: Omit<EncoderJobs['encode']['input'], 'stream'> & { samples: Float32Array<ArrayBuffer> },
    urgency: Urgency,
    signal: AbortSignal,
  ): Promise<Uint8Array>;
  drop(): Promise<unknown>;
  done(): void;
}

/** Urgency and cancellation of one job. */
export interface EncodeOptions extends Urgency {
  readonly signal: AbortSignal;
}

/** One stream of an `EncoderThread`. Its jobs run in order, one at a time. */
export class EncodedStream {
  readonly #link: StreamLink;
  #options: EncodedStreamOptions | undefined;
  #isOpen = true;
  #isKnownToThread = false;

  constructor(options: EncodedStreamOptions, link: StreamLink) {
    this.#options = options;
    this.#link = link;
  }

  /**
   * Encodes more samples.
   * @param samples - mono, −1…1, at the stream's `inputRate`; copied
   * @returns the bytes that are complete, possibly none
   * @throws MediaError ABORTED when the signal fires while the job waits for its permit, INVALID_INPUT after
   *   the end of the stream, WORKER_DIED
   */
  push(samples: Float32Array, options: EncodeOptions): Promise<Uint8Array> {
    return this.#run(new Float32Array(samples), false, options);
  }

  /** Ends the stream. @returns the remaining bytes @throws MediaError like `push` */
  async finish(options: EncodeOptions): Promise<Uint8Array> {
    const rest = await this.#run(new Float32Array(0), true, options);
    this.#isOpen = false;
    this.#link.done();
    return rest;
  }

  /** Discards the stream. No effect after `finish`. */
  cancel(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#link.done();
    if (this.#isKnownToThread) void this.#link.drop();
  }

  #run(
    samples: Float32Array<ArrayBuffer>,
    isLast: boolean,
    { signal, ...urgency }: EncodeOptions,
  ): Promise<Uint8Array> {
    if (!this.#isOpen) {
      return Promise.reject(
        new MediaError('INVALID_INPUT', 'The encoder stream has already ended'),
      );
    }
    const open = this.#options;
    this.#options = undefined;
    this.#isKnownToThread = true;
    return this.#link.encode({ samples, isLast, ...(open && { open }) }, urgency, signal);
  }
}
