import { energyOf } from '../audio/pcm.js';

/** Inputs of a BERT model for rows of token ids, padded to the longest row; the mask excludes the padding. */
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

/** Adds `count` vectors of `size` values, stored one after the other, and scales the sum to unit length. */
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
