import { Tensor } from 'onnxruntime-node';
import { energyOf } from '../audio/pcm.js';

/** What BERT and its kin take: the longest row tells the length, the mask leaves out what fills the others. */
export function embeddingBatchOf(rows: readonly (readonly number[])[]) {
  const length = Math.max(...rows.map((ids) => ids.length));
  const ids = new BigInt64Array(rows.length * length);
  const mask = new BigInt64Array(rows.length * length);
  rows.forEach((row, r) => {
    row.forEach((id, i) => {
      ids[r * length + i] = BigInt(id);
      mask[r * length + i] = 1n;
    });
  });
  const shape = [rows.length, length];
  const feeds = {
    input_ids: new Tensor('int64', ids, shape),
    attention_mask: new Tensor('int64', mask, shape),
    token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), shape),
  };
  return { feeds, length };
}

/** Sums vectors of `size`, one behind the other, and brings the sum to unit length. */
export function unitSumOf(
  values: Float32Array,
  count: number,
  size: number,
): Float32Array<ArrayBuffer> {
  const vector = new Float32Array(size);
  for (let t = 0; t < count; t++) {
    for (let d = 0; d < size; d++) vector[d]! += values[t * size + d]!;
  }
  const scale = 1 / Math.sqrt(energyOf(vector) || 1);
  for (let d = 0; d < size; d++) vector[d]! *= scale;
  return vector;
}
