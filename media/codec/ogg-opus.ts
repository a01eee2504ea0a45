import { toInt16 } from '../audio/pcm.js';
import type { Emit } from '../audio/stage.js';
import { MediaError } from '../errors.js';
import type { Encoder } from './encoder.js';
import { OpusEncoder } from './libopus.js';
import { OggPages } from './ogg.js';

/** 20 ms at 48 kHz. */
const OPUS_FRAME_LENGTH = 960;
/** Samples at 48 kHz by which the encoder's sound comes late. */
const OPUS_DELAY = 312;
/** Packets of 20 ms a page; the first page of sound has but one, so that it is heard at once. */
const PACKETS_PER_PAGE = 4;

/**
 * Opus in Ogg at 48 kHz, mono. Source: RFC 7845. Its length is exact: the pre-skip takes the encoder's
 * delay off the start, the last page's position what was padded at the end.
 */
export class OggOpusEncoder implements Encoder {
  readonly #frames: OpusEncoder;
  readonly #pages = new OggPages();
  readonly #samples = new Float32Array(OPUS_FRAME_LENGTH);
  readonly #pcm = new Int16Array(OPUS_FRAME_LENGTH);
  #filled = 0;
  #received = 0;
  #packets: Uint8Array[] = [];
  #encodedFrames = 0;
  #phase: 'new' | 'open' | 'done' = 'new';

  constructor(bitsPerSecond: number) {
    this.#frames = new OpusEncoder({
      sampleRate: 48000,
      application: 'audio',
      bitsPerSecond,
    });
  }

  push(samples: Float32Array, emit: Emit<Uint8Array>): void {
    if (this.#phase === 'done') {
      throw new MediaError('INVALID_INPUT', 'The Opus stream has already ended');
    }
    this.#emitHead(emit);
    this.#received += samples.length;
    for (let read = 0; read < samples.length; ) {
      const part = samples.subarray(read, read + OPUS_FRAME_LENGTH - this.#filled);
      this.#samples.set(part, this.#filled);
      read += part.length;
      this.#filled += part.length;
      if (this.#filled === OPUS_FRAME_LENGTH) this.#encodeFrame(emit);
    }
  }

  flush(emit: Emit<Uint8Array>): void {
    if (this.#phase === 'done') return;
    this.#emitHead(emit);
    this.#phase = 'done';
    const end = this.#received + OPUS_DELAY;
    // The tail still lies in the encoder's delay, so there is always one frame to come.
    while (this.#encodedFrames * OPUS_FRAME_LENGTH < end) {
      this.#samples.fill(0, this.#filled);
      this.#takeFrame();
    }
    emit(this.#pages.write(this.#packets, end, 'last'));
    this.#frames.close();
  }

  #emitHead(emit: Emit<Uint8Array>): void {
    if (this.#phase !== 'new') return;
    this.#phase = 'open';
    emit(this.#pages.write([opusHead()], 0, 'first'));
    emit(this.#pages.write([opusTags()], 0, 'middle'));
  }

  #encodeFrame(emit: Emit<Uint8Array>): void {
    this.#takeFrame();
    if (this.#encodedFrames > 1 && this.#packets.length < PACKETS_PER_PAGE) return;
    const granule = this.#encodedFrames * OPUS_FRAME_LENGTH;
    emit(this.#pages.write(this.#packets, granule, 'middle'));
    this.#packets = [];
  }

  #takeFrame(): void {
    toInt16(this.#samples, this.#pcm);
    this.#packets.push(this.#frames.encode(this.#pcm));
    this.#encodedFrames++;
    this.#filled = 0;
  }
}

function opusHead(): Uint8Array {
  const head = Buffer.alloc(19);
  head.write('OpusHead', 0, 'latin1');
  head.writeUInt8(1, 8);
  head.writeUInt8(1, 9);
  head.writeUInt16LE(OPUS_DELAY, 10);
  head.writeUInt32LE(48000, 12);
  return head;
}

function opusTags(): Uint8Array {
  const vendor = Buffer.from('parley');
  const tags = Buffer.alloc(16 + vendor.length);
  tags.write('OpusTags', 0, 'latin1');
  tags.writeUInt32LE(vendor.length, 8);
  vendor.copy(tags, 12);
  return tags;
}
