/** Encodes the vectors of one passage for storage: float32, little endian. */
export function encodeVectors(vectors: readonly Float32Array[]): Buffer {
  const length = vectors.reduce((sum, vector) => sum + vector.length, 0);
  const bytes = Buffer.alloc(length * 4);
  let at = 0;
  for (const vector of vectors) {
    for (const value of vector) at = bytes.writeFloatLE(value, at);
  }
  return bytes;
}

/** Decodes stored vectors. Requires a little-endian machine. */
export function decodeVector(bytes: Buffer): Float32Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes); // the buffer may not be aligned for floats
  return new Float32Array(copy.buffer, 0, copy.length / 4);
}
