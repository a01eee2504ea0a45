import { type ModelOptions, ModelThread } from '../runtime/model-thread.js';
import type { Embedder, EmbedOptions } from './embedder.js';

export type MiniLmJobs = {
  readonly embed: {
    readonly input: { readonly texts: readonly string[] };
    readonly output: Float32Array[];
  };
};

/** Length of a vector. */
export const DIMENSIONS = 384;
/** Texts, and their characters, in one run: more would hold the permit for too long. */
const BATCH = 8;
const BATCH_CHARACTERS = 800;
/** Under the model's 128, as tokens are estimated. */
const WINDOW_TOKENS = 110;

/** The English sentence model on its worker thread. */
export class MiniLmEmbedder implements Embedder {
  readonly id: string;
  readonly windowTokens = WINDOW_TOKENS;
  readonly isRemote = false;
  readonly #thread: ModelThread<MiniLmJobs>;

  constructor({ id, folder, permits }: ModelOptions) {
    this.id = id;
    const script = new URL('./minilm.worker.js', import.meta.url);
    this.#thread = new ModelThread({ script, workerData: { folder }, permits, isStateless: true });
  }

  async embed(
    texts: readonly string[],
    { priority, signal }: EmbedOptions,
  ): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; ) {
      const batch = { texts: batchFrom(texts, at) };
      vectors.push(...(await this.#thread.run('embed', batch, { priority, signal })));
      at += batch.texts.length;
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

/** The next texts for one run, one at the least. */
function batchFrom(texts: readonly string[], from: number): string[] {
  let to = from + 1;
  let length = texts[from]!.length;
  while (to < texts.length && to - from < BATCH && length + texts[to]!.length <= BATCH_CHARACTERS) {
    length += texts[to++]!.length;
  }
  return texts.slice(from, to);
}
