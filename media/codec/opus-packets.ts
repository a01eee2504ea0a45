import { toInt16 } from '../audio/pcm.js';
import { OpusEncoder, type OpusRate } from './libopus.js';

/** Bits per second of a live call. Source: RFC 7587 §3.1.1 (28–40 kbit/s for fullband speech). */
const CALL_BITRATE = 32_000;

/** Whether Opus supports this sample rate (Hz). */
export function isOpusRate(rate: number): rate is OpusRate {
  return [8000, 12000, 16000, 24000, 48000].includes(rate);
}

/** Encodes mono samples to Opus packets of 20 ms. `close` frees the codec's memory. */
export class OpusPacketEncoder {
  readonly #codec: OpusEncoder;
  readonly #pcm: Int16Array;

  constructor(sampleRate: OpusRate) {
    const application = 'voice';
    this.#codec = new OpusEncoder({ sampleRate, application, bitsPerSecond: CALL_BITRATE });
    this.#pcm = new Int16Array(sampleRate / 50);
  }

  /**
   * @param frame - exactly 20 ms of samples in −1…1
   * @returns a packet that the caller owns
   */
  encode(frame: Float32Array): Uint8Array {
    toInt16(frame, this.#pcm);
    return this.#codec.encode(this.#pcm);
  }

  close(): void {
    this.#codec.close();
  }
}
