import type { Stage } from '../../../../media/audio/stage.js';

/** The joined output of a stage for these chunks and a flush. */
export function runSamples(
  stage: Stage<Float32Array, Float32Array>,
  chunks: readonly Float32Array[],
): Float32Array {
  const outputs: Float32Array[] = [];
  const keep = (output: Float32Array) => {
    outputs.push(output.slice());
  };
  for (const chunk of chunks) stage.push(chunk, keep);
  stage.flush(keep);
  const joined = new Float32Array(outputs.reduce((sum, output) => sum + output.length, 0));
  let at = 0;
  for (const output of outputs) {
    joined.set(output, at);
    at += output.length;
  }
  return joined;
}

/** `runSamples` for a stage that emits bytes. */
export function runBytes(
  stage: Stage<Float32Array, Uint8Array>,
  chunks: readonly Float32Array[],
): Buffer {
  const outputs: Buffer[] = [];
  const keep = (output: Uint8Array) => {
    outputs.push(Buffer.from(output));
  };
  for (const chunk of chunks) stage.push(chunk, keep);
  stage.flush(keep);
  return Buffer.concat(outputs);
}

/** Splits `samples` into chunks, cycling through `lengths`. */
export function cut(samples: Float32Array, lengths: readonly number[]): Float32Array[] {
  const chunks: Float32Array[] = [];
  for (let at = 0, i = 0; at < samples.length; i++) {
    const length = lengths[i % lengths.length] ?? samples.length;
    chunks.push(samples.subarray(at, at + length));
    at += length;
  }
  return chunks;
}
