import type { CpuScheduler } from '../runtime/cpu-scheduler.js';
import { ModelThread } from '../runtime/model-thread.js';
import type { MixdownOptions } from './mixdown.js';
import type { MixdownJobs } from './recording-jobs.js';

/** A slice of work, so that nothing urgent waits for longer. */
const SLICE_MS = 15;

/** A thread of the lowest priority may get no CPU for a while. */
const IN_BACKGROUND = { answerWithinMs: 30_000 } as const;

/** Merges spools on a thread of its own, behind all that calls need. */
export class MixdownThread {
  readonly #thread: ModelThread<MixdownJobs>;
  #nextId = 1;

  constructor(permits: CpuScheduler) {
    const script = new URL('./mixdown.worker.js', import.meta.url);
    this.#thread = new ModelThread({ script, permits, limits: IN_BACKGROUND });
  }

  /**
   * Makes the file. @returns its length in ms.
   * @throws MediaError INVALID_INPUT for a spool in which nothing can be read, DISK_FULL, ABORTED
   */
  async merge(options: MixdownOptions, signal?: AbortSignal): Promise<number> {
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
      await this.#thread.runUnscheduled('close', id).catch(() => undefined);
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
