import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { readModelFile } from '../models/model-file.js';
import { lazy } from '../runtime/lazy.js';
import { floatsOf, OnnxModel } from '../runtime/onnx-session.js';
import { serveJobs } from '../runtime/serve-jobs.js';
import { lowerThreadPriority } from '../runtime/thread-priority.js';
import { embeddingBatchOf, unitSumOf } from './embedding-batch.js';
import { DIMENSIONS, type MiniLmJobs } from './minilm-embedder.js';
import { loadBertTokenizer } from './minilm-tokenizer.js';

const { folder } = workerData as { folder: string };
const session = lazy(async () => OnnxModel.load(await readModelFile(join(folder, 'model.onnx'))));
const tokenizer = lazy(loadBertTokenizer);

lowerThreadPriority();
serveJobs<MiniLmJobs>({
  embed: async ({ texts }) => {
    const tokenise = await tokenizer.get();
    const rows = texts.map(tokenise);
    const { feeds, length } = embeddingBatchOf(rows);
    const { last_hidden_state: hidden } = await (await session.get()).run(feeds);
    const values = floatsOf(hidden);
    const vectors = rows.map((row, r) =>
      // The mean over the text's own tokens; that of unit length is the sum's.
      unitSumOf(values.subarray(r * length * DIMENSIONS), row.length, DIMENSIONS),
    );
    return { output: vectors, transfer: vectors.map(({ buffer }) => buffer) };
  },
});
