/** Added before the magnitude is cut into segments, at 14 and at 16 bit. */
const BIAS_14 = 33;
const BIAS_16 = 132;
const MAX_14 = 8159;

/** Source: ITU-T G.711, table 2a. */
const DECODED = Int16Array.from({ length: 256 }, (_, byte) => {
  const code = ~byte & 0xff;
  const magnitude = (((code & 0x0f) << 3) + BIAS_16) << ((code & 0x70) >> 4);
  return (code & 0x80) !== 0 ? BIAS_16 - magnitude : magnitude - BIAS_16;
});

/** Decodes G.711 μ-law. `pcm` is at least as long as `wire`. */
export function decodeMulaw(wire: Uint8Array, pcm: Int16Array): void {
  for (let i = 0; i < wire.length; i++) pcm[i] = DECODED[wire[i]!]!;
}

/**
 * Encodes G.711 μ-law from the upper 14 bits of each sample, rounded down. `wire` is at least as long
 * as `pcm`.
 */
export function encodeMulaw(pcm: Int16Array, wire: Uint8Array): void {
  for (let i = 0; i < pcm.length; i++) {
    const value = pcm[i]! >> 2;
    const mask = value < 0 ? 0x7f : 0xff;
    const magnitude = Math.min(Math.abs(value), MAX_14) + BIAS_14;
    const segment = Math.max(0, 26 - Math.clz32(magnitude));
    const code = segment > 7 ? 0x7f : (segment << 4) | ((magnitude >> (segment + 1)) & 0x0f);
    wire[i] = code ^ mask;
  }
}
