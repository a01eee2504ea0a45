import type { CpuScheduler } from '../runtime/cpu-scheduler.js';
import { ModelThread } from '../runtime/model-thread.js';
import { BACKGROUND_WATCHDOG_LIMITS } from '../runtime/watchdog.js';
import type { MixdownOptions } from './mixdown.js';

/** Jobs of the mixdown worker, which works in slices. The client assigns the ids. */
export type MixdownJobs = {
  readonly open: {
    readonly input: { readonly id: number; readonly options: MixdownOptions };
    readonly output: { readonly durationMs: number };
  };
  readonly step: {
    readonly input: { readonly id: number; readonly ms: number };
    readonly output: { readonly isDone: boolean };
  };
  readonly close: { readonly input: number; readonly output: null };
};

/** Maximum duration of a job in ms. Urgent jobs wait at most this long for the CPU permit. */
const SLICE_MS = 15;

/** Mixes spools down on a worker thread, with a lower priority than active calls. */
export class MixdownThread {
  readonly #thread: ModelThread<MixdownJobs>;
  #nextId = 1;

  constructor(scheduler: CpuScheduler) {
    const script = new URL('./mixdown.worker.js', import.meta.url);
    this.#thread = new ModelThread({ script, scheduler, limits: BACKGROUND_WATCHDOG_LIMITS });
  }

  /**
   * Mixes one spool down to an MP3 file.
   * @returns the duration of the file in ms
   * @throws MediaError INVALID_INPUT if no record of the spool is readable, DISK_FULL, WORKER_DIED, ABORTED
   */
  async mixDown(options: MixdownOptions, signal?: AbortSignal): Promise<number> {
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
      // If the thread has died, its jobs are gone already.
      await this.#thread.runUnscheduled('close', id).catch(() => undefined);
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
