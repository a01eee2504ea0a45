import { energyOf } from '../audio/pcm.js';

/**
 * Returns the inputs of a BERT model for rows of token ids. The rows are padded to the longest; the attention
 * mask excludes the padding.
 * @returns `feeds`: int64 tensors `[rows, length]`; `length`: tokens of the longest row
 */
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
  const dims = [rows.length, length];
  const feeds = {
    input_ids: { data: ids, dims },
    attention_mask: { data: mask, dims },
    token_type_ids: { data: new BigInt64Array(ids.length), dims },
  };
  return { feeds, length };
}

/**
 * Adds vectors and scales the sum to unit length.
 * @param values - the vectors, one after the other
 * @param count - number of vectors
 * @param size - values of each vector
 */
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
