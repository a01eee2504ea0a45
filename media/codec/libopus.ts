import { createRequire } from 'node:module';
import { MediaError } from '../errors.js';

/** Sample rates of Opus in Hz. */
export type OpusRate = 8000 | 12000 | 16000 | 24000 | 48000;

/** Maximum size in bytes of a packet with one frame. Source: RFC 6716, 3.2.1. */
const MAX_OPUS_PACKET = 1275;

/** Application modes. Source of these and of the requests below: opus_defines.h. */
const APPLICATIONS = { voice: 2048, audio: 2049 } as const;
const SET_BITRATE = 4002;
const SET_COMPLEXITY = 4010;
/** Costs half the CPU time of the highest setting (10) and sounds the same for one voice. */
const COMPLEXITY = 5;
/** Maximum number of samples in a packet that the library decodes: 60 ms at 48 kHz. */
const MAX_FRAME = 2880;
/** The library stores each byte of a sample in a 16-bit element. */
const BYTES_PER_SAMPLE = 4;

/** The part of opusscript's WebAssembly module that is used here. */
interface Library {
  readonly HEAPU8: Uint8Array;
  readonly HEAPU16: Uint16Array;
  _malloc(length: number): number;
  _free(pointer: number): void;
  readonly OpusScriptHandler: {
    new (sampleRate: number, channels: number, application: number): Handler;
    destroy_handler(handler: Handler): void;
  };
}

interface Handler {
  _encode(pcm: number, pcmBytes: number, packet: number, frameLength: number): number;
  _decode(packet: number, packetBytes: number, pcm: number): number;
  _encoder_ctl(request: number, value: number): number;
}

let library: Library | undefined;

/**
 * Memory of a codec. The class `OpusScript` of the package opusscript is not used: it writes the samples at
 * twice their address, which exceeds the memory from the 77th codec on.
 */
class OpusCodec {
  readonly library: Library;
  readonly handler: Handler;
  readonly pcm: number;
  readonly packet: number;
  #isOpen = true;

  constructor(sampleRate: OpusRate, application: keyof typeof APPLICATIONS) {
    const require = createRequire(import.meta.url);
    library ??= require('opusscript/build/opusscript_native_wasm.js')() as Library;
    this.library = library;
    this.handler = new library.OpusScriptHandler(sampleRate, 1, APPLICATIONS[application]);
    this.pcm = library._malloc(MAX_FRAME * BYTES_PER_SAMPLE);
    this.packet = library._malloc(MAX_OPUS_PACKET + 1);
    if (this.pcm === 0 || this.packet === 0) {
      throw new MediaError('INTERNAL', 'The memory of the Opus library is full');
    }
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.library.OpusScriptHandler.destroy_handler(this.handler);
    this.library._free(this.pcm);
    this.library._free(this.packet);
  }
}

/** Settings of an `OpusEncoder`. */
export interface OpusEncoderOptions {
  readonly sampleRate: OpusRate;
  /** `voice` favours intelligibility, `audio` fidelity. */
  readonly application: keyof typeof APPLICATIONS;
  readonly bitsPerSecond: number;
}

/** Encodes mono samples to Opus packets. `close` frees the codec's memory. */
export class OpusEncoder {
  readonly #codec: OpusCodec;

  constructor({ sampleRate, application, bitsPerSecond }: OpusEncoderOptions) {
    this.#codec = new OpusCodec(sampleRate, application);
    this.#codec.handler._encoder_ctl(SET_BITRATE, bitsPerSecond);
    this.#codec.handler._encoder_ctl(SET_COMPLEXITY, COMPLEXITY);
  }

  /**
   * @param frame - 16-bit samples of 2.5, 5, 10, 20, 40 or 60 ms
   * @returns a packet of at most 1,275 bytes, which the caller owns
   * @throws MediaError INTERNAL for another length
   */
  encode(frame: Int16Array): Uint8Array {
    const { library, handler, pcm, packet } = this.#codec;
    const { HEAPU16 } = library;
    const start = pcm / 2;
    for (let i = 0; i < frame.length; i++) {
      HEAPU16[start + 2 * i] = frame[i]! & 0xff;
      HEAPU16[start + 2 * i + 1] = (frame[i]! >> 8) & 0xff;
    }
    const length = handler._encode(pcm, frame.length * 2, packet, frame.length);
    if (length < 0) throw new MediaError('INTERNAL', `The Opus encoder failed with code ${length}`);
    return library.HEAPU8.slice(packet, packet + length);
  }

  close(): void {
    this.#codec.close();
  }
}

/** Decodes Opus packets to mono samples. `close` frees the codec's memory. */
export class OpusDecoder {
  readonly #codec: OpusCodec;

  constructor(sampleRate: OpusRate) {
    this.#codec = new OpusCodec(sampleRate, 'voice');
  }

  /**
   * @param bytes - one packet of 1 to 1,275 bytes
   * @returns 16-bit samples at the decoder's rate, which the caller owns
   * @throws MediaError INVALID_INPUT for an invalid packet
   */
  decode(bytes: Uint8Array): Int16Array {
    if (bytes.length === 0 || bytes.length > MAX_OPUS_PACKET) {
      throw new MediaError(
        'INVALID_INPUT',
        `An Opus packet must have 1 to ${MAX_OPUS_PACKET} bytes; got ${bytes.length}`,
      );
    }
    const { library, handler, pcm, packet } = this.#codec;
    library.HEAPU8.set(bytes, packet);
    const length = handler._decode(packet, bytes.length, pcm);
    if (length < 0) throw new MediaError('INVALID_INPUT', 'The bytes are not an Opus packet');
    const { HEAPU16 } = library;
    const start = pcm / 2;
    return Int16Array.from(
      { length },
      (_, i) => (HEAPU16[start + 2 * i]! & 0xff) | (HEAPU16[start + 2 * i + 1]! << 8),
    );
  }

  close(): void {
    this.#codec.close();
  }
}
