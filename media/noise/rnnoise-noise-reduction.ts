import { concat } from '../audio/pcm.js';
import { MediaError } from '../errors.js';
import type { WatchdogLimits } from '../runtime/watchdog.js';
import { WorkerThread } from '../runtime/worker-thread.js';
import type { NoiseReduction, NoiseReductionOptions } from './noise-reduction.js';
import { type BlockToClean, type RnnoiseJobs, RnnoiseStream } from './rnnoise-stream.js';

/** The limits are short because all noisy calls wait for the worker. It loads in 0.1 s. */
const LIMITS: WatchdogLimits = { replyTimeoutMs: 2_000, startTimeoutMs: 10_000 };
const WORKER = new URL('./rnnoise.worker.js', import.meta.url);

/** Options of `RnnoiseNoiseReduction`. */
export interface RnnoiseOptions {
  /** Called with an exception of a stream's `onSamples`. */
  readonly onFault?: (error: unknown) => void;
  /**
   * The worker's script and the limits of its watchdog; tests replace them. Default limits: 2 s, 10 s for the start.
   */
  readonly script?: URL;
  readonly limits?: WatchdogLimits;
}

/** The block of one stream in a job. */
interface JobEntry {
  readonly stream: RnnoiseStream;
  readonly job: BlockToClean;
}

/**
 * Runs RNNoise on a thread of its own. Like the VAD, it takes no CPU permits, because speech recognition
 * waits for it. One job contains the waiting audio of all noisy streams. Audio of quiet streams is not sent
 * to the thread.
 */
export class RnnoiseNoiseReduction implements NoiseReduction {
  readonly #thread: WorkerThread<RnnoiseJobs>;
  readonly #onFault: (error: unknown) => void;
  readonly #streams = new Set<RnnoiseStream>();
  #closed: number[] = [];
  #nextId = 1;
  #isRunning = false;
  #isClosed = false;

  constructor({ onFault, script = WORKER, limits = LIMITS }: RnnoiseOptions = {}) {
    this.#onFault = onFault ?? (() => undefined);
    this.#thread = new WorkerThread(script, undefined, limits);
  }

  open(options: NoiseReductionOptions) {
    const stream = new RnnoiseStream(options, {
      nextId: () => this.#nextId++,
      wake: () => this.#run(),
      forget: (id) => {
        this.#closed.push(id);
        this.#run();
      },
    });
    this.#streams.add(stream);
    return {
      push: (samples: Float32Array, isNoisy: boolean) => stream.push(samples, isNoisy),
      close: () => {
        this.#streams.delete(stream);
        stream.close();
      },
    };
  }

  /** Number of open streams, cleaned or not. */
  get openStreams(): number {
    return this.#streams.size;
  }

  /** Number of streams with state in the worker. */
  sessions(): Promise<number> {
    return this.#thread.run('count', null);
  }

  /** Starts the thread, so that the first noisy call does not wait for it. */
  async warm(): Promise<void> {
    const id = this.#nextId++;
    const part = { id, runIn: 0, length: 320, isLast: true };
    await this.#thread.run('clean', { parts: [part], samples: new Float32Array(320), closed: [] });
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#thread.close();
  }

  #run(): void {
    if (this.#isRunning) return;
    const taken = this.#take();
    const closed = this.#closed.splice(0);
    if (taken.length === 0 && closed.length === 0) return;
    this.#isRunning = true;
    void this.#clean(taken, closed);
  }

  /** Returns the blocks of the next job: of one stream that may have crashed a worker, otherwise of all streams. */
  #take(): readonly JobEntry[] {
    for (const stream of this.#streams) {
      const job = stream.isSuspect ? stream.take() : undefined;
      if (job) return [{ stream, job }];
    }
    const taken: JobEntry[] = [];
    for (const stream of this.#streams) {
      const job = stream.isSuspect ? undefined : stream.take();
      if (job) taken.push({ stream, job });
    }
    return taken;
  }

  async #clean(taken: readonly JobEntry[], closed: readonly number[]): Promise<void> {
    const samples = concat(
      Float32Array,
      taken.map(({ job }) => job.samples),
    );
    const parts = taken.map(({ job }) => job.part);
    try {
      const done = await this.#thread.run('clean', { parts, samples, closed }, [samples.buffer]);
      this.#handOut(taken, done);
    } catch (error) {
      this.#restartAll(taken, error);
    }
    this.#isRunning = false;
    this.#run();
  }

  #handOut(taken: readonly JobEntry[], { parts, samples }: RnnoiseJobs['clean']['output']): void {
    let from = 0;
    for (const [i, { stream, job }] of taken.entries()) {
      const part = parts[i]!;
      if (part.ok) {
        const cleaned = samples.subarray(from, from + part.length);
        from += part.length;
        this.#guard(() => stream.cleaned(job.part, cleaned));
      } else this.#guard(() => stream.giveUp(new MediaError(part.code, part.message)));
    }
  }

  /** Restarts all streams after the loss of the worker, which had the state of each stream. */
  #restartAll(taken: readonly JobEntry[], error: unknown): void {
    for (const stream of this.#streams) {
      const wasInJob = taken.some((entry) => entry.stream === stream);
      this.#guard(() => (this.#isClosed ? stream.giveUp(error) : stream.restart(error, wasInJob)));
    }
  }

  /** Reports an exception of one stream's receiver, so that it does not affect the other streams. */
  #guard(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#onFault(error);
    }
  }
}
