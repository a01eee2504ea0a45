import type { Lexicon } from '../tts/pls/read-pls.js';
import type { CpuPermits } from './cpu-permits.js';
import type { PlsFile, PlsJobs, PlsOutcome } from './pls-jobs.js';
import { WorkerLane } from './worker-lane.js';
import { WorkerThread } from './worker-thread.js';

/** Reads and writes lexicons on a thread of its own, when nothing else wants the CPU. */
export class PlsThread {
  readonly #lane: WorkerLane;
  readonly #thread = new WorkerThread<PlsJobs>(
    new URL('./pls.worker.js', import.meta.url),
    undefined,
  );

  #nextId = 1;

  constructor(permits: CpuPermits) {
    this.#lane = new WorkerLane(permits);
  }

  /** Part by part, so that a large file keeps no caller waiting for the CPU. */
  async read(file: PlsFile): Promise<PlsOutcome> {
    const id = this.#nextId++;
    let outcome = await this.#job(() => this.#thread.run('begin', { ...file, id }));
    while (!outcome) outcome = await this.#job(() => this.#thread.run('next', { id }));
    return outcome;
  }

  write(lexicon: Lexicon): Promise<string> {
    return this.#job(() => this.#thread.run('write', lexicon));
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  #job<T>(job: () => Promise<T>): Promise<T> {
    return this.#lane.use('background', job);
  }
}
