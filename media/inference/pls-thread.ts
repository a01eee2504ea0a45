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

  constructor(permits: CpuPermits) {
    this.#lane = new WorkerLane(permits);
  }

  read(file: PlsFile): Promise<PlsOutcome> {
    return this.#lane.use('background', () => this.#thread.run('read', file));
  }

  write(lexicon: Lexicon): Promise<string> {
    return this.#lane.use('background', () => this.#thread.run('write', lexicon));
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
