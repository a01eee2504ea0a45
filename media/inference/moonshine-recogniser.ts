import { abortError, MediaError } from '../errors.js';
import type { CpuPermits, Priority } from './cpu-permits.js';
import type { Recogniser } from './recogniser.js';
import { WorkerLane } from './worker-lane.js';
import { WorkerThread } from './worker-thread.js';

export type MoonshineJobs = {
  readonly transcribe: {
    readonly input: { readonly samples: Float32Array };
    readonly output: string;
  };
};

/** 12 s at 16 kHz: beyond it the model's answers fall apart. */
const LONGEST = 192_000;

/** The English recogniser on its worker thread, one job at a time, the most urgent first. */
export class MoonshineRecogniser implements Recogniser {
  readonly id: string;
  readonly languages = ['en'];
  readonly #thread: WorkerThread<MoonshineJobs>;
  readonly #lane: WorkerLane;

  constructor(options: {
    readonly id: string;
    readonly folder: string;
    readonly permits: CpuPermits;
  }) {
    this.id = options.id;
    this.#lane = new WorkerLane(options.permits);
    this.#thread = new WorkerThread(new URL('./moonshine.worker.js', import.meta.url), {
      folder: options.folder,
    });
  }

  async transcribe(
    samples: Float32Array,
    { priority, signal }: { readonly priority: Priority; readonly signal?: AbortSignal },
  ): Promise<string> {
    if (samples.length > LONGEST) {
      throw new MediaError('INVALID_INPUT', 'The recogniser takes at most 12 s at a time');
    }
    if (signal?.aborted) throw abortError();
    if (samples.length === 0) return '';
    const job = () => this.#thread.run('transcribe', { samples });
    return this.#lane.use(priority, job, signal);
  }

  /** Loads the model and runs it once. */
  async warm(): Promise<void> {
    for (const seconds of [1, 3]) {
      const samples = new Float32Array(seconds * 16_000);
      for (let i = 0; i < samples.length; i++) samples[i] = Math.sin(i / 9) * 0.1;
      await this.transcribe(samples, { priority: 'background' });
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
