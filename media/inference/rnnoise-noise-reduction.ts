import { MediaError } from '../errors.js';
import type { NoiseReduction, NoiseReductionOptions } from '../noise/noise-reduction.js';
import type { RnnoiseJobs } from './rnnoise-jobs.js';
import { type PartToClean, RnnoiseLine } from './rnnoise-line.js';
import { WorkerThread } from './worker-thread.js';

/** A worker that does not answer for so long is not waited for. */
const STUCK_MS = 2_000;

/**
 * The noise reduction on a thread of its own, outside the pool of permits, as the VAD is: whoever is
 * heard through it waits for it. All lines that have audio waiting go over in one job. Lines that are
 * quiet do not go over at all.
 */
export class RnnoiseNoiseReduction implements NoiseReduction {
  readonly #thread = new WorkerThread<RnnoiseJobs>(
    new URL('./rnnoise.worker.js', import.meta.url),
    undefined,
  );
  readonly #lines = new Set<RnnoiseLine>();
  #closed: number[] = [];
  #nextId = 1;
  #runningSince: number | undefined;

  open(options: NoiseReductionOptions) {
    const line = new RnnoiseLine(options, {
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
  get openLines(): number {
    return this.#lines.size;
  }

  /** Lines of which the worker keeps something. */
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
    return this.#thread.close();
  }

  #run(): void {
    if (this.#runningSince !== undefined) {
      if (performance.now() - this.#runningSince > STUCK_MS) this.#giveUpAll(stuck());
      return;
    }
    const taken: { readonly line: RnnoiseLine; readonly job: PartToClean }[] = [];
    for (const line of this.#lines) {
      const job = line.take();
      if (job) taken.push({ line, job });
    }
    const closed = this.#closed.splice(0);
    if (taken.length === 0 && closed.length === 0) return;
    this.#runningSince = performance.now();
    void this.#clean(taken, closed);
  }

  async #clean(
    taken: readonly { readonly line: RnnoiseLine; readonly job: PartToClean }[],
    closed: readonly number[],
  ): Promise<void> {
    const total = taken.reduce((sum, { job }) => sum + job.part.length, 0);
    const samples = new Float32Array(total);
    let at = 0;
    for (const { job } of taken) {
      samples.set(job.samples, at);
      at += job.part.length;
    }
    const parts = taken.map(({ job }) => job.part);
    try {
      const done = await this.#thread.run('clean', { parts, samples, closed }, [samples.buffer]);
      let from = 0;
      for (const [i, { line, job }] of taken.entries()) {
        const length = done.lengths[i]!;
        line.cleaned(job.part, done.samples.subarray(from, from + length));
        from += length;
      }
    } catch (error) {
      this.#giveUpAll(error);
    }
    this.#runningSince = undefined;
    this.#run();
  }

  /** The worker has forgotten, or may have mixed up, what it knew of every line. */
  #giveUpAll(error: unknown): void {
    for (const line of this.#lines) line.giveUp(error);
  }
}

function stuck(): MediaError {
  return new MediaError('WORKER_DIED', 'The noise reduction does not answer');
}
