import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { Tensor } from 'onnxruntime-node';
import { runBehindCalls } from './background-thread.js';
import { loadOnce } from './load-once.js';
import { DIMENSIONS, type MiniLmJobs } from './minilm-embedder.js';
import { loadBertTokenizer } from './minilm-tokenizer.js';
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
    const length = Math.max(...rows.map((ids) => ids.length));
    const shape = [rows.length, length];
    const ids = new BigInt64Array(rows.length * length);
    const mask = new BigInt64Array(rows.length * length);
    rows.forEach((row, r) => {
      row.forEach((id, i) => {
        ids[r * length + i] = BigInt(id);
        mask[r * length + i] = 1n;
      });
    });
    const { last_hidden_state: hidden } = await (await session.get()).run({
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', mask, shape),
      token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), shape),
    });
    const values = hidden!.data as Float32Array;
    const vectors = rows.map((row, r) =>
      pooled(values.subarray(r * length * DIMENSIONS), row.length),
    );
    return { output: vectors, transfer: vectors.map(({ buffer }) => buffer) };
  },
});

/** The mean over the text's own tokens, brought to unit length. */
function pooled(values: Float32Array, tokens: number): Float32Array<ArrayBuffer> {
  const vector = new Float32Array(DIMENSIONS);
  for (let t = 0; t < tokens; t++) {
    for (let d = 0; d < DIMENSIONS; d++) vector[d]! += values[t * DIMENSIONS + d]!;
  }
  let squares = 0;
  for (const value of vector) squares += value * value;
  const scale = 1 / Math.sqrt(squares || 1);
  for (let d = 0; d < DIMENSIONS; d++) vector[d]! *= scale;
  return vector;
}
