import { createRequire } from 'node:module';
import { MediaError } from '../errors.js';

/** 20 ms at 48 kHz, mono. */
export const OPUS_FRAME_LENGTH = 960;
/** Samples at 48 kHz by which the encoder's sound comes late. */
export const OPUS_DELAY = 312;

/** No packet of one frame is larger. Source: RFC 6716, 3.4. */
const MAX_PACKET_LENGTH = 1276;
const APPLICATION_AUDIO = 2049;
/** Source: opus_defines.h. */
const SET_BITRATE = 4002;
const SET_COMPLEXITY = 4010;
/** Half the cost of the highest setting and, for one voice, the same sound. */
const COMPLEXITY = 5;

/** The part of opusscript's WebAssembly module that is used here. */
interface Libopus {
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
  _encoder_ctl(request: number, value: number): number;
}

let libopus: Libopus | undefined;

/**
 * One Opus encoder: 48 kHz, mono. opusscript's own class is passed over: it places each encoder's
 * input at twice its address, in the memory of another, so that two at a time spoil each other.
 */
export class OpusFrames {
  readonly #library: Libopus;
  readonly #handler: Handler;
  readonly #input: number;
  readonly #packet: number;
  #isOpen = true;

  constructor(bitsPerSecond: number) {
    const require = createRequire(import.meta.url);
    libopus ??= require('opusscript/build/opusscript_native_wasm.js')() as Libopus;
    this.#library = libopus;
    this.#handler = new libopus.OpusScriptHandler(48000, 1, APPLICATION_AUDIO);
    // The library wants every byte of a sample in 16 bits of its own.
    this.#input = libopus._malloc(OPUS_FRAME_LENGTH * 4);
    this.#packet = libopus._malloc(MAX_PACKET_LENGTH);
    if (this.#input === 0 || this.#packet === 0) {
      throw new MediaError('INTERNAL', 'The Opus encoder has no memory left');
    }
    this.#handler._encoder_ctl(SET_BITRATE, bitsPerSecond);
    this.#handler._encoder_ctl(SET_COMPLEXITY, COMPLEXITY);
  }

  /** Encodes one frame of `OPUS_FRAME_LENGTH` samples; the packet is the caller's. */
  encode(frame: Int16Array): Uint8Array {
    const { HEAPU8, HEAPU16 } = this.#library;
    const start = this.#input / 2;
    for (let i = 0; i < frame.length; i++) {
      HEAPU16[start + 2 * i] = frame[i]! & 0xff;
      HEAPU16[start + 2 * i + 1] = (frame[i]! >> 8) & 0xff;
    }
    const bytes = frame.length * 2;
    const length = this.#handler._encode(this.#input, bytes, this.#packet, frame.length);
    if (length < 0) throw new MediaError('INTERNAL', `The Opus encoder failed with ${length}`);
    return HEAPU8.slice(this.#packet, this.#packet + length);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#library.OpusScriptHandler.destroy_handler(this.#handler);
    this.#library._free(this.#input);
    this.#library._free(this.#packet);
  }
}
