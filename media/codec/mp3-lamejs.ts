import { createRequire } from 'node:module';
import { int16Of } from '../audio/pcm.js';
import type { Lame, Mp3Options } from './lame.js';

/** The used part of lamejs, which has no types. */
interface Library {
  readonly Mp3Encoder: new (
    channels: number,
    sampleRate: number,
    kilobitsPerSecond: number,
  ) => {
    encodeBuffer(left: Int16Array, right?: Int16Array): Int8Array;
    flush(): Int8Array;
  };
}

const require = createRequire(import.meta.url);
let library: Library | undefined;

/**
 * LAME in plain JavaScript. One call takes up to 40 ms, so use it on a worker thread only. At 44.1 kHz and
 * 32 kbit/s it halves the sample rate, so `createMp3Encoder` does not use it there.
 */
export function openLamejs({ sampleRate, kilobitsPerSecond, channels = 1 }: Mp3Options): Lame {
  // Loaded on first use, because it defines global names.
  library ??= require('lamejs') as Library;
  const encoder = new library.Mp3Encoder(channels, sampleRate, kilobitsPerSecond);
  return {
    encode: (left, right) =>
      unsigned(encoder.encodeBuffer(int16Of(left!), right && int16Of(right))),
    finish: () => unsigned(encoder.flush()),
  };
}

function unsigned({ buffer, byteOffset, length }: Int8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}
