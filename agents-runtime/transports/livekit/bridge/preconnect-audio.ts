import { CALLER_SAMPLE_RATE, concat, int16Of, toFloat32 } from '../../../../media/audio/pcm.js';
import { Resampler } from '../../../../media/audio/resampler.js';
import { OpusDecoder } from '../../../../media/codec/libopus.js';
import { webmPackets } from '../../../../media/codec/webm.js';
import { MediaError } from '../../../../media/errors.js';

/** Topic of the byte stream with the audio from before the agent joined. */
export const PRECONNECT_AUDIO_TOPIC = 'lk.agent.pre-connect-audio-buffer';
/** Twice the size of 10 s of raw audio at 48 kHz, which is what clients keep. */
export const MAX_PRECONNECT_BYTES = 2_097_152;
/** The end of a longer recording is used. */
const MAX_PRECONNECT_SECONDS = 10;

/** Supported sample rates of raw recordings. */
const RATES = [8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];

export interface PreconnectAudioInfo {
  readonly mimeType: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * Decodes preconnect audio to mono at 16 kHz: WebM with Opus from browsers, s16le from other clients.
 * @throws MediaError INVALID_INPUT for invalid audio
 */
export function decodePreconnectAudio(bytes: Uint8Array, info: PreconnectAudioInfo): Int16Array {
  const samples = info.mimeType.startsWith('audio/webm')
    ? decodeWebm(bytes)
    : decodeRaw(bytes, info.attributes);
  return samples.slice(-MAX_PRECONNECT_SECONDS * CALLER_SAMPLE_RATE);
}

function decodeWebm(bytes: Uint8Array): Int16Array {
  const decoder = new OpusDecoder(CALLER_SAMPLE_RATE);
  try {
    return concat(
      Int16Array,
      webmPackets(bytes).map((packet) => decoder.decode(packet)),
    );
  } finally {
    decoder.close();
  }
}

function decodeRaw(bytes: Uint8Array, { sampleRate, channels }: Record<string, string>) {
  const wide = Number(channels) === 2 ? 2 : 1;
  const interleaved = new Int16Array(new Uint8Array(bytes).buffer, 0, bytes.length >> 1);
  const samples = new Float32Array(Math.floor(interleaved.length / wide));
  toFloat32(wide === 1 ? interleaved : interleaved.filter((_, i) => i % wide === 0), samples);
  const rate = Number(sampleRate ?? 48_000);
  if (!RATES.includes(rate)) throw new MediaError('INVALID_INPUT', 'The rate is not supported');
  const resampler = new Resampler(rate, CALLER_SAMPLE_RATE);
  const parts: Int16Array[] = [];
  const keep = (part: Float32Array) => parts.push(int16Of(part));
  resampler.push(samples, keep);
  resampler.flush(keep);
  return concat(Int16Array, parts);
}
