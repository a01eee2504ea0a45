/** Even bits are inverted on the line. */
const LINE_MASK = 0x55;

/** Decodes G.711 A-law (Source: ITU-T G.711, table 1a). `pcm` is at least as long as `wire`. */
export function decodeAlaw(wire: Uint8Array, pcm: Int16Array): void {
  for (let i = 0; i < wire.length; i++) {
    const code = wire[i]! ^ LINE_MASK;
    const segment = (code & 0x70) >> 4;
    const step = ((code & 0x0f) << 4) + 8;
    const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1);
    pcm[i] = (code & 0x80) !== 0 ? magnitude : -magnitude;
  }
}

/**
 * Encodes G.711 A-law from the upper 13 bits of each sample, rounded down. `wire` is at least as long
 * as `pcm`.
 */
export function encodeAlaw(pcm: Int16Array, wire: Uint8Array): void {
  for (let i = 0; i < pcm.length; i++) {
    const value = pcm[i]! >> 3;
    const mask = value < 0 ? LINE_MASK : LINE_MASK | 0x80;
    const magnitude = value < 0 ? ~value : value;
    const segment = Math.max(0, 27 - Math.clz32(magnitude));
    const step = (magnitude >> Math.max(1, segment)) & 0x0f;
    wire[i] = ((segment << 4) | step) ^ mask;
  }
}
