import { basename } from 'node:path';
import { MediaError } from '../errors.js';
import { hashFile } from '../models/hashes.js';
import type { CpuScheduler } from '../runtime/cpu-scheduler.js';
import { type ModelOptions, ModelThread } from '../runtime/model-thread.js';
import type { WatchdogLimits } from '../runtime/watchdog.js';
import type { Embedder, EmbedOptions } from './embedder.js';
import { miniLmModel, readSentenceModel, type SentenceModel } from './sentence-model-folder.js';

/** Jobs of the worker. */
export type SentenceModelJobs = {
  readonly embed: {
    readonly input: { readonly texts: readonly string[] };
    readonly output: Float32Array[];
  };
};

/** Maximum number of texts, and of UTF-16 units in them, in one run. Short jobs release their CPU permit early. */
const BATCH = 8;
const BATCH_CHARACTERS = 800;
/** A large model of an operator needs several seconds for a batch. */
const OWN_MODEL_LIMITS = { replyTimeoutMs: 30_000 };

interface SentenceModelOptions {
  readonly id: string;
  readonly model: SentenceModel;
  readonly scheduler: CpuScheduler;
  readonly limits?: Partial<WatchdogLimits>;
}

/** Runs a sentence model in ONNX form on a worker thread. */
export class SentenceModelEmbedder implements Embedder {
  readonly id: string;
  readonly windowTokens: number;
  readonly isRemote = false;
  readonly #model: SentenceModel;
  readonly #thread: ModelThread<SentenceModelJobs>;

  private constructor({ id, model, scheduler, limits = {} }: SentenceModelOptions) {
    this.id = id;
    this.windowTokens = model.windowTokens;
    this.#model = model;
    const script = new URL('./sentence-model.worker.js', import.meta.url);
    this.#thread = new ModelThread({
      script,
      workerData: { model },
      scheduler,
      limits,
      isStateless: true,
    });
  }

  /** Opens the English MiniLM of the model catalogue. The first job loads it. */
  static async openMiniLm({ id, folder, scheduler }: ModelOptions): Promise<SentenceModelEmbedder> {
    return new SentenceModelEmbedder({ id, model: await miniLmModel(folder), scheduler });
  }

  /**
   * Loads an operator's model in the layout of sentence-transformers. Its id contains a hash of the model file,
   * because vectors of different models cannot be compared.
   * @param folder - see `readSentenceModel`
   * @throws MediaError MODEL_MISSING, MODEL_CORRUPT
   */
  static async open(folder: string, scheduler: CpuScheduler): Promise<SentenceModelEmbedder> {
    const model = await readSentenceModel(folder);
    const { sha256 } = await hashFile(model.modelFile);
    const id = `${basename(folder)}-${sha256.slice(0, 12)}`;
    const embedder = new SentenceModelEmbedder({ id, model, scheduler, limits: OWN_MODEL_LIMITS });
    try {
      await embedder.warm();
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
    const { questionPrefix, passagePrefix } = this.#model;
    const prefix = isQuestion ? questionPrefix : passagePrefix;
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; ) {
      const batch = batchFrom(texts, at);
      const job = { texts: batch.map((text) => prefix + text) };
      vectors.push(...(await this.#thread.run('embed', job, { priority, signal })));
      at += batch.length;
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

/** Returns the next texts for one run, at least one. */
function batchFrom(texts: readonly string[], from: number): string[] {
  let to = from + 1;
  let length = texts[from]!.length;
  while (to < texts.length && to - from < BATCH && length + texts[to]!.length <= BATCH_CHARACTERS) {
    length += texts[to++]!.length;
  }
  return texts.slice(from, to);
}
