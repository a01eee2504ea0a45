/** Vectors of one passage, one after the other, as they are stored: float32, the low byte first. */
export function encodeVectors(vectors: readonly Float32Array[]): Buffer {
  const length = vectors.reduce((sum, vector) => sum + vector.length, 0);
  const bytes = Buffer.alloc(length * 4);
  let at = 0;
  for (const vector of vectors) {
    for (const value of vector) at = bytes.writeFloatLE(value, at);
  }
  return bytes;
}

/** All machines that this runs on write the low byte first, as is stored. */
export function decodeVector(bytes: Buffer): Float32Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes); // where its first byte stands, floats may not
  return new Float32Array(copy.buffer, 0, copy.length / 4);
}
