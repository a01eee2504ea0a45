import type { CpuPermits, Priority } from './cpu-permits.js';
import type { Embedder } from './embedder.js';
import { WorkerLane } from './worker-lane.js';
import { WorkerThread } from './worker-thread.js';

export type MiniLmJobs = {
  readonly embed: {
    readonly input: { readonly texts: readonly string[] };
    readonly output: Float32Array[];
  };
};

/** Length of a vector. */
export const DIMENSIONS = 384;
/** Texts in one run: more would hold the permit for too long (6 ms a passage). */
const BATCH = 8;

/** The English sentence model on its worker thread. */
export class MiniLmEmbedder implements Embedder {
  readonly id: string;
  readonly dimensions = DIMENSIONS;
  readonly #thread: WorkerThread<MiniLmJobs>;
  readonly #lane: WorkerLane;

  constructor(options: {
    readonly id: string;
    readonly folder: string;
    readonly permits: CpuPermits;
  }) {
    this.id = options.id;
    this.#lane = new WorkerLane(options.permits);
    this.#thread = new WorkerThread(new URL('./minilm.worker.js', import.meta.url), {
      folder: options.folder,
    });
  }

  async embed(
    texts: readonly string[],
    { priority, signal }: { readonly priority: Priority; readonly signal?: AbortSignal },
  ): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += BATCH) {
      const batch = texts.slice(at, at + BATCH);
      const job = () => this.#thread.run('embed', { texts: batch });
      vectors.push(...(await this.#lane.use(priority, job, signal)));
    }
    return vectors;
  }

  /** Loads the model and runs it once. */
  async warm(): Promise<void> {
    await this.embed(['What are your opening hours?'], { priority: 'background' });
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
