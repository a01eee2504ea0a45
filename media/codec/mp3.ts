import { Framing } from '../audio/framing.js';
import type { Emit } from '../audio/stage.js';
import { MediaError } from '../errors.js';
import type { Encoder } from './encoder.js';
import type { Lame, Mp3Options } from './lame.js';
import { openLamejs } from './mp3-lamejs.js';
import { openWasmLame } from './mp3-wasm.js';

/** Samples per call of the encoder. Constant, so that the output does not depend on the chunk lengths. */
export const BLOCK_LENGTH = 1152;

/** Encoder program: WebAssembly, or plain JavaScript, which is five times slower. */
export type Mp3Program = 'wasm' | 'lamejs';

/** Delay in samples from encoder input to decoder output. Source: LAME's tech FAQ; measured. */
export const MP3_DELAY = 1_105;

/** Creates an MP3 encoder of one channel. Flush it also to discard it: that frees its instance. */
export async function createMp3Encoder(options: Mp3Options, program: Mp3Program): Promise<Encoder> {
  const isHalvedByLamejs = options.sampleRate === 44_100 && options.kilobitsPerSecond === 32;
  const lame =
    program === 'lamejs' && !isHalvedByLamejs ? openLamejs(options) : await openWasmLame(options);
  return new Mp3Encoder(lame, options);
}

/**
 * Creates an MP3 encoder of one or two channels for files that are written in blocks of 1,152 samples.
 * Flush it also to discard it: that frees its instance.
 */
export async function createMp3Channels(
  options: Mp3Options,
  program: Mp3Program,
): Promise<Mp3Channels> {
  return new Mp3Channels(
    program === 'lamejs' ? openLamejs(options) : await openWasmLame(options),
    options,
  );
}

/** Encodes one or two channels to an MP3 file. */
export class Mp3Channels {
  readonly #lame: Lame;
  readonly #frames: Mp3Frames;

  constructor(lame: Lame, options: Mp3Options) {
    this.#lame = lame;
    this.#frames = new Mp3Frames(options);
  }

  /** @param channels - samples of each channel in −1…1: 1,152 of each, fewer only at the end of the file */
  push(channels: readonly Float32Array[], emit: Emit<Uint8Array>): void {
    this.#frames.push(this.#lame.encode(...channels), emit);
  }

  flush(emit: Emit<Uint8Array>): void {
    this.#frames.push(this.#lame.finish(), emit);
  }
}

/** Constant bit rate without a Xing frame. Emits whole frames only, so a client can start at any output. */
class Mp3Encoder implements Encoder {
  readonly #lame: Lame;
  readonly #blocks = new Framing(BLOCK_LENGTH);
  readonly #frames: Mp3Frames;
  #isDone = false;

  constructor(lame: Lame, options: Mp3Options) {
    this.#lame = lame;
    this.#frames = new Mp3Frames(options);
  }

  push(samples: Float32Array, emit: Emit<Uint8Array>): void {
    if (this.#isDone) throw new MediaError('INVALID_INPUT', 'The MP3 stream has already ended');
    this.#blocks.push(samples, (block) => this.#encode(block, emit));
  }

  flush(emit: Emit<Uint8Array>): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#blocks.flush((block) => this.#encode(block, emit));
    this.#frames.push(this.#lame.finish(), emit);
  }

  #encode(block: Float32Array, emit: Emit<Uint8Array>): void {
    this.#frames.push(this.#lame.encode(block), emit);
  }
}

/** Joins the output of LAME, which may end within a frame, to whole frames. */
class Mp3Frames {
  readonly #frameLength: number;
  #bytes = new Uint8Array(8192);
  #filled = 0;

  constructor({ sampleRate, kilobitsPerSecond }: Mp3Options) {
    // Source: ISO 11172-3, 2.4.3.1, and ISO 13818-3 for the rates below 32 kHz.
    const bytesPerBit = sampleRate >= 32000 ? 144 : 72;
    this.#frameLength = Math.floor((bytesPerBit * kilobitsPerSecond * 1000) / sampleRate);
  }

  push(bytes: Uint8Array, emit: Emit<Uint8Array>): void {
    if (this.#filled + bytes.length > this.#bytes.length) {
      const larger = new Uint8Array((this.#filled + bytes.length) * 2);
      larger.set(this.#bytes.subarray(0, this.#filled));
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#filled);
    this.#filled += bytes.length;
    const end = this.#endOfLastFrame();
    if (end === 0) return;
    emit(this.#bytes.subarray(0, end));
    this.#bytes.copyWithin(0, end, this.#filled);
    this.#filled -= end;
  }

  #endOfLastFrame(): number {
    let at = 0;
    while (at + 4 <= this.#filled) {
      if (this.#bytes[at] !== 0xff || (this.#bytes[at + 1]! & 0xe0) !== 0xe0) {
        throw new MediaError('INTERNAL', 'The output of the MP3 encoder has no frame header');
      }
      const hasPadding = (this.#bytes[at + 2]! & 0x02) !== 0;
      const next = at + this.#frameLength + (hasPadding ? 1 : 0);
      if (next > this.#filled) break;
      at = next;
    }
    return at;
  }
}
