import { workerData } from 'node:worker_threads';
import { Tokenizer } from '@huggingface/tokenizers';
import { MediaError } from '../errors.js';
import { readModelFile } from '../models/model-file.js';
import { lazy } from '../runtime/lazy.js';
import { floatsOf, OnnxModel, type OnnxTensors } from '../runtime/onnx-session.js';
import { serveJobs } from '../runtime/serve-jobs.js';
import { lowerThreadPriority } from '../runtime/thread-priority.js';
import { embeddingBatchOf, unitSumOf } from './embedding-batch.js';
import type { SentenceModelJobs } from './sentence-model-embedder.js';
import type { SentenceModel } from './sentence-model-folder.js';

const { model } = workerData as { model: SentenceModel };
const onnxModel = lazy(async () => OnnxModel.load(await readModelFile(model.modelFile)));
const tokenizer = lazy(async () => new Tokenizer(model.tokenizer, model.tokenizerConfig));

lowerThreadPriority();
serveJobs<SentenceModelJobs>({
  embed: async ({ texts }) => {
    const [onnx, encoder] = [await onnxModel.get(), await tokenizer.get()];
    const rows = texts.map((text) => cut(encoder.encode(text).ids));
    const { feeds, length } = embeddingBatchOf(rows);
    const known = Object.entries(feeds).filter(([name]) => onnx.inputNames.includes(name));
    const outputs = await onnx.run(Object.fromEntries(known));
    const vectors = rows.map((row, r) => vectorOf(outputs, { r, length, tokens: row.length }));
    return { output: vectors, transfer: vectors.map(({ buffer }) => buffer) };
  },
});

/** Cuts the ids to `maxTokens`. The last id, which marks the end, is kept. */
function cut(ids: readonly number[]): readonly number[] {
  if (ids.length <= model.maxTokens) return ids;
  return [...ids.slice(0, model.maxTokens - 1), ids.at(-1)!];
}

/** Returns the model's vector of text `r`, or pools its token states. */
function vectorOf(
  outputs: OnnxTensors,
  { r, length, tokens }: { readonly r: number; readonly length: number; readonly tokens: number },
): Float32Array<ArrayBuffer> {
  const output =
    outputs.sentence_embedding ?? outputs.last_hidden_state ?? Object.values(outputs)[0];
  if (!output) throw new MediaError('MODEL_CORRUPT', 'The sentence model has no output');
  const size = output.dims.at(-1)!;
  const isPooled = output.dims.length === 2;
  const from = isPooled ? r * size : r * length * size;
  const states = isPooled || model.isFirstToken ? 1 : tokens;
  return unitSumOf(floatsOf(output).subarray(from), states, size);
}
