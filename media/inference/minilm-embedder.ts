import type { Priority } from './cpu-permits.js';
import type { Embedder } from './embedder.js';
import { LanedThread, type ModelOptions } from './laned-thread.js';

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
  readonly #thread: LanedThread<MiniLmJobs>;

  constructor({ id, folder, permits }: ModelOptions) {
    this.id = id;
    const script = new URL('./minilm.worker.js', import.meta.url);
    this.#thread = new LanedThread({ script, workerData: { folder }, permits });
  }

  async embed(
    texts: readonly string[],
    { priority, signal }: { readonly priority: Priority; readonly signal?: AbortSignal },
  ): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += BATCH) {
      const batch = { texts: texts.slice(at, at + BATCH) };
      vectors.push(...(await this.#thread.run('embed', batch, { priority, signal })));
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
