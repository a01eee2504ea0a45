import type { CpuPermits } from '../inference/cpu-permits.js';
import { LanedThread } from '../inference/laned-thread.js';
import type { MergeOptions } from './merge.js';
import type { MergeJobs } from './recording-jobs.js';

/** A slice of work, so that nothing urgent waits for longer. */
const SLICE_MS = 15;

/** A thread of the lowest priority may get no CPU for a while. */
const IN_BACKGROUND = { answerWithinMs: 30_000 } as const;

/** Merges spools on a thread of its own, behind all that calls need. */
export class MergeThread {
  readonly #thread: LanedThread<MergeJobs>;
  #nextId = 1;

  constructor(permits: CpuPermits) {
    const script = new URL('./merge.worker.js', import.meta.url);
    this.#thread = new LanedThread({ script, permits, limits: IN_BACKGROUND });
  }

  /**
   * Makes the file. @returns its length in ms.
   * @throws MediaError INVALID_INPUT for a spool in which nothing can be read, DISK_FULL, ABORTED
   */
  async merge(options: MergeOptions, signal?: AbortSignal): Promise<number> {
    const id = this.#nextId++;
    const urgency = { priority: 'background', signal } as const;
    try {
      const { durationMs } = await this.#thread.run('open', { id, options }, urgency);
      let isDone = false;
      while (!isDone) {
        ({ isDone } = await this.#thread.run('step', { id, ms: SLICE_MS }, urgency));
      }
      return durationMs;
    } finally {
      // A thread that died has forgotten it already.
      await this.#thread.tell('close', id).catch(() => undefined);
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
