import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { runBehindCalls } from './background-thread.js';
import { loadOnce } from './load-once.js';
import { DIMENSIONS, type MiniLmJobs } from './minilm-embedder.js';
import { loadBertTokenizer } from './minilm-tokenizer.js';
import { batchOf, unitSumOf } from './sentence-batch.js';
import { serveJobs } from './serve-jobs.js';
import { bytesOf, openSession } from './sessions.js';

const { folder } = workerData as { folder: string };
const session = loadOnce(async () => openSession(await bytesOf(join(folder, 'model.onnx'))));
const tokenizer = loadOnce(loadBertTokenizer);

runBehindCalls();
serveJobs<MiniLmJobs>({
  embed: async ({ texts }) => {
    const tokenise = await tokenizer.get();
    const rows = texts.map(tokenise);
    const { feeds, length } = batchOf(rows);
    const { last_hidden_state: hidden } = await (await session.get()).run(feeds);
    const values = hidden!.data as Float32Array;
    const vectors = rows.map((row, r) =>
      // The mean over the text's own tokens; that of unit length is the sum's.
      unitSumOf(values.subarray(r * length * DIMENSIONS), row.length, DIMENSIONS),
    );
    return { output: vectors, transfer: vectors.map(({ buffer }) => buffer) };
  },
});
