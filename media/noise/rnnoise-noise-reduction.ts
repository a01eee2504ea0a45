import { concat } from '../audio/pcm.js';
import { MediaError } from '../errors.js';
import type { WatchdogLimits } from '../runtime/watchdog.js';
import { WorkerThread } from '../runtime/worker-thread.js';
import type { NoiseReduction, NoiseReductionOptions } from './noise-reduction.js';
import type { RnnoiseJobs } from './rnnoise-jobs.js';
import { type BlockToClean, RnnoiseStream } from './rnnoise-stream.js';

/** All noisy calls wait for it: a worker that takes this long hangs. It loads in 0.1 s. */
const LIMITS: WatchdogLimits = { answerWithinMs: 2_000, startWithinMs: 10_000 };
const WORKER = new URL('./rnnoise.worker.js', import.meta.url);

export interface RnnoiseOptions {
  /** Called with what the owner of a line threw while its samples were handed over. */
  readonly onFault?: (error: unknown) => void;
  /** The worker's program and its watchdog's limits, where a test has its own. */
  readonly script?: URL;
  readonly limits?: WatchdogLimits;
}

/** What one line has in a job. */
interface Taken {
  readonly line: RnnoiseStream;
  readonly job: BlockToClean;
}

/**
 * The noise reduction on a thread of its own, outside the pool of permits, as the VAD is: speech
 * recognition waits for it. All lines that have audio waiting go over in one job. Lines that are
 * quiet do not go over at all.
 */
export class RnnoiseNoiseReduction implements NoiseReduction {
  readonly #thread: WorkerThread<RnnoiseJobs>;
  readonly #onFault: (error: unknown) => void;
  readonly #lines = new Set<RnnoiseStream>();
  #closed: number[] = [];
  #nextId = 1;
  #isRunning = false;
  #isClosed = false;

  constructor({ onFault, script = WORKER, limits = LIMITS }: RnnoiseOptions = {}) {
    this.#onFault = onFault ?? (() => undefined);
    this.#thread = new WorkerThread(script, undefined, limits);
  }

  open(options: NoiseReductionOptions) {
    const line = new RnnoiseStream(options, {
      nextId: () => this.#nextId++,
      wake: () => this.#run(),
      forget: (id) => {
        this.#closed.push(id);
        this.#run();
      },
    });
    this.#lines.add(line);
    return {
      push: (samples: Float32Array, isNoisy: boolean) => line.push(samples, isNoisy),
      close: () => {
        this.#lines.delete(line);
        line.close();
      },
    };
  }

  /** Lines that are open, cleaned or not. */
  get openStreams(): number {
    return this.#lines.size;
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

  /** What goes over next: the audio of all lines, or of a single one that may have cost a worker. */
  #take(): readonly Taken[] {
    for (const line of this.#lines) {
      const job = line.isSuspect ? line.take() : undefined;
      if (job) return [{ line, job }];
    }
    const taken: Taken[] = [];
    for (const line of this.#lines) {
      const job = line.isSuspect ? undefined : line.take();
      if (job) taken.push({ line, job });
    }
    return taken;
  }

  async #clean(taken: readonly Taken[], closed: readonly number[]): Promise<void> {
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

  #handOut(taken: readonly Taken[], { parts, samples }: RnnoiseJobs['clean']['output']): void {
    let from = 0;
    for (const [i, { line, job }] of taken.entries()) {
      const part = parts[i]!;
      if (part.ok) {
        const cleaned = samples.subarray(from, from + part.length);
        from += part.length;
        this.#guard(() => line.cleaned(job.part, cleaned));
      } else this.#guard(() => line.giveUp(new MediaError(part.code, part.message)));
    }
  }

  /** The worker has forgotten what it knew of every line. */
  #restartAll(taken: readonly Taken[], error: unknown): void {
    for (const line of this.#lines) {
      const wasInJob = taken.some((one) => one.line === line);
      this.#guard(() => (this.#isClosed ? line.giveUp(error) : line.restart(error, wasInJob)));
    }
  }

  /** What the owner of one line throws does not reach the others. */
  #guard(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#onFault(error);
    }
  }
}
