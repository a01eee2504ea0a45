import { toInt16 } from '../../../../media/audio/pcm.js';
import { WAV_HEADER_LENGTH, wavHeader } from '../../../../media/codec/wav.js';

/** A mono WAV file; `sampleRate` in Hz. */
export function wavOf(samples: Float32Array, sampleRate: number): Buffer {
  const pcm = new Int16Array(samples.length);
  toInt16(samples, pcm);
  const header = wavHeader(sampleRate, WAV_HEADER_LENGTH + 2 * pcm.length);
  return Buffer.concat([header, new Uint8Array(pcm.buffer)]);
}
