import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { MediaError } from '../errors.js';
import type { CpuScheduler } from '../runtime/cpu-scheduler.js';
import { ModelThread } from '../runtime/model-thread.js';
import type { Embedder, EmbedOptions } from './embedder.js';
import { readSentenceModel, type SentenceModelFolder } from './sentence-model-folder.js';

export type SentenceModelJobs = {
  readonly embed: {
    readonly input: { readonly texts: readonly string[] };
    readonly output: Float32Array[];
  };
};

/** Characters in one run: more would hold the permit for too long. */
const BATCH_CHARACTERS = 800;
const BATCH = 8;
/** A large model needs seconds for a batch. */
const ANSWER_WITHIN_MS = 30_000;

/** Any sentence model in the layout of sentence-transformers, as ONNX, on a worker thread. */
export class SentenceModelEmbedder implements Embedder {
  readonly id: string;
  readonly windowTokens: number;
  readonly isRemote = false;
  readonly #folder: SentenceModelFolder;
  readonly #thread: ModelThread<SentenceModelJobs>;

  private constructor(id: string, folder: SentenceModelFolder, permits: CpuScheduler) {
    this.id = id;
    // Tokens are estimated, and the model cuts what is over.
    this.windowTokens = Math.floor(folder.mostTokens * 0.85);
    this.#folder = folder;
    const script = new URL('./sentence-model.worker.js', import.meta.url);
    this.#thread = new ModelThread({
      script,
      workerData: { folder },
      permits,
      limits: { answerWithinMs: ANSWER_WITHIN_MS },
      isStateless: true,
    });
  }

  /** @throws MediaError MODEL_MISSING, MODEL_CORRUPT */
  static async open(folder: string, permits: CpuScheduler): Promise<SentenceModelEmbedder> {
    const model = await readSentenceModel(folder);
    // Another file under the same name is another model.
    const hash = createHash('sha256');
    await pipeline(createReadStream(model.modelFile), hash);
    const id = `${basename(folder)}-${hash.digest('hex').slice(0, 12)}`;
    const embedder = new SentenceModelEmbedder(id, model, permits);
    try {
      await embedder.embed(['What are your opening hours?'], { priority: 'background' });
    } catch (cause) {
      await embedder.close();
      throw new MediaError('MODEL_CORRUPT', `The sentence model in ${folder} does not run`, {
        cause,
      });
    }
    return embedder;
  }

  async embed(
    texts: readonly string[],
    { priority, signal, isQuestion = false }: EmbedOptions,
  ): Promise<Float32Array[]> {
    const { questionPrefix, passagePrefix } = this.#folder;
    const prefix = isQuestion ? questionPrefix : passagePrefix;
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; ) {
      const batch: string[] = [];
      let length = 0;
      for (; at < texts.length && batch.length < BATCH && length < BATCH_CHARACTERS; at++) {
        batch.push(prefix + texts[at]!);
        length += texts[at]!.length;
      }
      const job = { texts: batch };
      vectors.push(...(await this.#thread.run('embed', job, { priority, signal })));
    }
    return vectors;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
