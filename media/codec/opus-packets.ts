import OpusScript from 'opusscript';
import { MediaError } from '../errors.js';
import { toInt16 } from '../pcm.js';

/** Rates that Opus knows (Hz). */
export type OpusRate = 8000 | 12000 | 16000 | 24000 | 48000;

/** Speech on a live call: transparent for one voice. Source: RFC 7587 §3.1.1 (16–20 kbit/s is wide band). */
const CALL_BITRATE = 32_000;
/** A longer one is no packet of a single 20 ms frame. Source: RFC 6716 §3.2.1. */
const LONGEST_PACKET = 1275;

/** Whether Opus works at this rate. */
export function isOpusRate(rate: number): rate is OpusRate {
  return [8000, 12000, 16000, 24000, 48000].includes(rate);
}

/** Samples (−1…1) → Opus packets of 20 ms. `close` frees the codec's memory. */
export class OpusPacketEncoder {
  readonly #codec: OpusScript;
  readonly #pcm: Int16Array;
  readonly #bytes: Buffer;

  constructor(sampleRate: OpusRate) {
    this.#codec = new OpusScript(sampleRate, 1, OpusScript.Application.VOIP);
    this.#codec.setBitrate(CALL_BITRATE);
    this.#pcm = new Int16Array(sampleRate / 50);
    this.#bytes = Buffer.from(this.#pcm.buffer);
  }

  /** @param frame exactly 20 ms. @returns a packet that the caller owns. */
  encode(frame: Float32Array): Uint8Array {
    toInt16(frame, this.#pcm);
    return new Uint8Array(this.#codec.encode(this.#bytes, this.#pcm.length));
  }

  close(): void {
    this.#codec.delete();
  }
}

/** Opus packets → s16 samples. `close` frees the codec's memory. */
export class OpusPacketDecoder {
  readonly #codec: OpusScript;

  constructor(sampleRate: OpusRate) {
    this.#codec = new OpusScript(sampleRate, 1, OpusScript.Application.VOIP);
  }

  /** @throws MediaError INVALID_INPUT for bytes that are no Opus packet. */
  decode(packet: Uint8Array): Int16Array {
    if (packet.length === 0 || packet.length > LONGEST_PACKET) {
      throw new MediaError('INVALID_INPUT', 'An Opus packet has 1 to 1275 bytes');
    }
    try {
      const pcm = this.#codec.decode(Buffer.from(packet));
      return new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / 2).slice();
    } catch (cause) {
      throw new MediaError('INVALID_INPUT', 'These bytes are no Opus packet', { cause });
    }
  }

  close(): void {
    this.#codec.delete();
  }
}
