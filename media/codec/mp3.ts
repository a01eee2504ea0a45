import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createEncoder, type WasmMediaEncoder } from 'wasm-media-encoders';
import { MediaError } from '../errors.js';
import type { Emit } from '../stream/stage.js';
import type { Encoder } from './codecs.js';

type Lame = WasmMediaEncoder<'audio/mpeg'>;
type LameOptions = Parameters<Lame['configure']>[0];

/** Samples that are fed at a time, so that the bytes do not depend on how the stream was cut. */
const BLOCK_LENGTH = 1152;
/** Encoders kept for the next streams: each reserves address space, so they are not left to the collector. */
const MAX_IDLE = 8;

/** The encoder's program: bytes, or what they were compiled to. */
type Program = Parameters<typeof createEncoder>[1];

let program: Program | undefined;
const idle: Lame[] = [];

export interface Mp3Options {
  /** Hz; one of MPEG 1's or MPEG 2's rates. */
  readonly sampleRate: number;
  readonly kilobitsPerSecond: NonNullable<LameOptions['bitrate']>;
}

/** An MP3 encoder; whoever drops it unfinished flushes it all the same, which frees its instance. */
export async function createMp3Encoder(options: Mp3Options): Promise<Encoder> {
  const lame = idle.pop() ?? (await instantiate());
  lame.configure({
    channels: 1,
    sampleRate: options.sampleRate,
    bitrate: options.kilobitsPerSecond,
    // Left to itself LAME halves the rate of 44.1 kHz at 32 kbit/s.
    outputSampleRate: options.sampleRate as NonNullable<LameOptions['outputSampleRate']>,
  });
  return new Mp3Encoder(lame, options);
}

/** Compiles once a thread; an instance of the result costs 0.3 ms instead of 10. */
async function instantiate(): Promise<Lame> {
  program ??= await readFile(
    createRequire(import.meta.url).resolve('wasm-media-encoders/wasm/mp3'),
  );
  return createEncoder('audio/mpeg', program, (compiled) => {
    program = compiled;
  });
}

/** Constant bit rate without a Xing frame. Only whole frames come out, so a stream can be cut anywhere. */
class Mp3Encoder implements Encoder {
  readonly #lame: Lame;
  readonly #block = new Float32Array(BLOCK_LENGTH);
  readonly #frames: Mp3Frames;
  #filled = 0;
  #isDone = false;

  constructor(lame: Lame, options: Mp3Options) {
    this.#lame = lame;
    this.#frames = new Mp3Frames(options);
  }

  push(samples: Float32Array, emit: Emit<Uint8Array>): void {
    if (this.#isDone) throw new MediaError('INVALID_INPUT', 'The MP3 stream has already ended');
    for (let read = 0; read < samples.length; ) {
      const part = samples.subarray(read, read + BLOCK_LENGTH - this.#filled);
      this.#block.set(part, this.#filled);
      read += part.length;
      this.#filled += part.length;
      if (this.#filled < BLOCK_LENGTH) return;
      this.#filled = 0;
      this.#frames.push(this.#lame.encode([this.#block]), emit);
    }
  }

  flush(emit: Emit<Uint8Array>): void {
    if (this.#isDone) return;
    this.#isDone = true;
    if (this.#filled > 0) {
      this.#frames.push(this.#lame.encode([this.#block.subarray(0, this.#filled)]), emit);
    }
    this.#frames.push(this.#lame.finalize(), emit);
    if (idle.length < MAX_IDLE) idle.push(this.#lame);
  }
}

/** Joins the bytes that LAME lets go, which end anywhere, to whole frames. */
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
        throw new MediaError('INTERNAL', 'The MP3 encoder lost its frames');
      }
      const hasPadding = (this.#bytes[at + 2]! & 0x02) !== 0;
      const next = at + this.#frameLength + (hasPadding ? 1 : 0);
      if (next > this.#filled) break;
      at = next;
    }
    return at;
  }
}
