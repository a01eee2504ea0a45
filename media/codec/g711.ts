import { toInt16 } from '../audio/pcm.js';
import type { Emit } from '../audio/stage.js';
import type { Encoder } from './encoder.js';

/** A-law transmits every second bit inverted, starting with the lowest. */
const ALAW_MASK = 0x55;
/** Added to the magnitude before the segment of μ-law is selected, for samples of 14 and of 16 bits. */
const MULAW_BIAS_14 = 33;
const MULAW_BIAS_16 = 132;
const MULAW_MAX_14 = 8159;

/**
 * Decodes G.711 A-law.
 * @param encoded - one byte per sample
 * @param pcm - receives 16-bit samples; at least as long as `encoded`
 * @see ITU-T G.711, table 1a
 */
export function decodeAlaw(encoded: Uint8Array, pcm: Int16Array): void {
  for (let i = 0; i < encoded.length; i++) {
    const code = encoded[i]! ^ ALAW_MASK;
    const segment = (code & 0x70) >> 4;
    const step = ((code & 0x0f) << 4) + 8;
    const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1);
    pcm[i] = (code & 0x80) !== 0 ? magnitude : -magnitude;
  }
}

/**
 * Encodes G.711 A-law from the upper 13 bits of each sample, rounded down.
 * @param pcm - 16-bit samples
 * @param encoded - receives one byte per sample; at least as long as `pcm`
 */
export function encodeAlaw(pcm: Int16Array, encoded: Uint8Array): void {
  for (let i = 0; i < pcm.length; i++) {
    const value = pcm[i]! >> 3;
    const mask = value < 0 ? ALAW_MASK : ALAW_MASK | 0x80;
    const magnitude = value < 0 ? ~value : value;
    const segment = Math.max(0, 27 - Math.clz32(magnitude));
    const step = (magnitude >> Math.max(1, segment)) & 0x0f;
    encoded[i] = ((segment << 4) | step) ^ mask;
  }
}

/** The sample of each μ-law byte. Source: ITU-T G.711, table 2a. */
const MULAW_DECODED = Int16Array.from({ length: 256 }, (_, byte) => {
  const code = ~byte & 0xff;
  const magnitude = (((code & 0x0f) << 3) + MULAW_BIAS_16) << ((code & 0x70) >> 4);
  return (code & 0x80) !== 0 ? MULAW_BIAS_16 - magnitude : magnitude - MULAW_BIAS_16;
});

/**
 * Decodes G.711 μ-law.
 * @param encoded - one byte per sample
 * @param pcm - receives 16-bit samples; at least as long as `encoded`
 */
export function decodeMulaw(encoded: Uint8Array, pcm: Int16Array): void {
  for (let i = 0; i < encoded.length; i++) pcm[i] = MULAW_DECODED[encoded[i]!]!;
}

/**
 * Encodes G.711 μ-law from the upper 14 bits of each sample, rounded down.
 * @param pcm - 16-bit samples
 * @param encoded - receives one byte per sample; at least as long as `pcm`
 */
export function encodeMulaw(pcm: Int16Array, encoded: Uint8Array): void {
  for (let i = 0; i < pcm.length; i++) {
    const value = pcm[i]! >> 2;
    const mask = value < 0 ? 0x7f : 0xff;
    const magnitude = Math.min(Math.abs(value), MULAW_MAX_14) + MULAW_BIAS_14;
    const segment = Math.max(0, 26 - Math.clz32(magnitude));
    const code = segment > 7 ? 0x7f : (segment << 4) | ((magnitude >> (segment + 1)) & 0x0f);
    encoded[i] = code ^ mask;
  }
}

/** The encoder of `ulaw_8000` and `alaw_8000`: one byte per sample. */
export class G711Encoder implements Encoder {
  readonly #encode: (pcm: Int16Array, encoded: Uint8Array) => void;
  #pcm = new Int16Array(0);
  #encoded = new Uint8Array(0);

  /** @param encode - `encodeMulaw` or `encodeAlaw` */
  constructor(encode: (pcm: Int16Array, encoded: Uint8Array) => void) {
    this.#encode = encode;
  }

  push(samples: Float32Array, emit: Emit<Uint8Array>): void {
    const { length } = samples;
    if (length === 0) return;
    if (this.#pcm.length < length) {
      this.#pcm = new Int16Array(length * 2);
      this.#encoded = new Uint8Array(length * 2);
    }
    toInt16(samples, this.#pcm);
    this.#encode(this.#pcm.subarray(0, length), this.#encoded);
    emit(this.#encoded.subarray(0, length));
  }

  flush(): void {
    // `push` emits every sample at once.
  }
}
