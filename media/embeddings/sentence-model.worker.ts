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
import type { SentenceModelFolder } from './sentence-model-folder.js';

const { folder } = workerData as { folder: SentenceModelFolder };
const session = lazy(async () => OnnxModel.load(await readModelFile(folder.modelFile)));
const tokenizer = lazy(async () => new Tokenizer(folder.tokenizer, folder.tokenizerConfig));

lowerThreadPriority();
serveJobs<SentenceModelJobs>({
  embed: async ({ texts }) => {
    const { encode, model } = { encode: await tokenizer.get(), model: await session.get() };
    const rows = texts.map((text) => cut(encode.encode(text).ids));
    const { feeds, length } = embeddingBatchOf(rows);
    const wanted = Object.entries(feeds).filter(([name]) => model.inputNames.includes(name));
    const outputs = await model.run(Object.fromEntries(wanted));
    const vectors = rows.map((row, r) => vectorOf(outputs, { r, length, tokens: row.length }));
    return { output: vectors, transfer: vectors.map(({ buffer }) => buffer) };
  },
});

/** The last token ends the text for the model, so it stays. */
function cut(ids: readonly number[]): readonly number[] {
  if (ids.length <= folder.mostTokens) return ids;
  return [...ids.slice(0, folder.mostTokens - 1), ids.at(-1)!];
}

/** What the export gives for a text, or the states of its tokens brought together. */
function vectorOf(
  outputs: OnnxTensors,
  { r, length, tokens }: { readonly r: number; readonly length: number; readonly tokens: number },
): Float32Array<ArrayBuffer> {
  const output =
    outputs.sentence_embedding ?? outputs.last_hidden_state ?? Object.values(outputs)[0];
  if (!output) throw new MediaError('MODEL_CORRUPT', 'A sentence model gives nothing');
  const values = floatsOf(output);
  const size = output.dims.at(-1)!;
  const isWhole = output.dims.length === 2;
  const from = isWhole ? r * size : r * length * size;
  const states = isWhole || folder.isFirstToken ? 1 : tokens;
  return unitSumOf(values.subarray(from), states, size);
}
