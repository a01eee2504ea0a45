import { Framing } from '../audio/framing.js';
import { toInt16 } from '../audio/pcm.js';
import type { Emit } from '../audio/stage.js';
import { MediaError } from '../errors.js';
import type { Encoder } from './encoder.js';
import { OpusEncoder } from './libopus.js';
import { OggPages } from './ogg.js';

/** 20 ms at 48 kHz. */
const OPUS_FRAME_LENGTH = 960;
const SILENT_FRAME = new Float32Array(OPUS_FRAME_LENGTH);
/** Delay of the encoder in samples at 48 kHz. */
const OPUS_DELAY = 312;
/** Packets of 20 ms per page. The first audio page has only one, so that playback starts at once. */
const PACKETS_PER_PAGE = 4;

/**
 * Opus in Ogg at 48 kHz, mono. The duration equals that of the input: players skip the encoder's delay at
 * the start (pre-skip) and the padding after the position of the last page. Source: RFC 7845.
 */
export class OggOpusEncoder implements Encoder {
  readonly #encoder: OpusEncoder;
  readonly #pages = new OggPages();
  readonly #frames = new Framing(OPUS_FRAME_LENGTH);
  readonly #pcm = new Int16Array(OPUS_FRAME_LENGTH);
  #received = 0;
  #packets: Uint8Array[] = [];
  #encodedFrames = 0;
  #phase: 'new' | 'open' | 'done' = 'new';

  /** @param bitsPerSecond - 6,000 to 510,000 */
  constructor(bitsPerSecond: number) {
    this.#encoder = new OpusEncoder({
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
    this.#frames.push(samples, (frame) => this.#encodeFrame(frame, emit));
  }

  flush(emit: Emit<Uint8Array>): void {
    if (this.#phase === 'done') return;
    this.#emitHead(emit);
    this.#phase = 'done';
    const end = this.#received + OPUS_DELAY;
    // Because of the encoder's delay, at least one frame is still missing here.
    while (this.#encodedFrames * OPUS_FRAME_LENGTH < end) {
      this.#frames.push(SILENT_FRAME, (frame) => this.#addPacket(frame));
    }
    emit(this.#pages.write(this.#packets, end, 'last'));
    this.#encoder.close();
  }

  #emitHead(emit: Emit<Uint8Array>): void {
    if (this.#phase !== 'new') return;
    this.#phase = 'open';
    emit(this.#pages.write([opusHead()], 0, 'first'));
    emit(this.#pages.write([opusTags()], 0, 'middle'));
  }

  #encodeFrame(frame: Float32Array, emit: Emit<Uint8Array>): void {
    this.#addPacket(frame);
    if (this.#encodedFrames > 1 && this.#packets.length < PACKETS_PER_PAGE) return;
    const granule = this.#encodedFrames * OPUS_FRAME_LENGTH;
    emit(this.#pages.write(this.#packets, granule, 'middle'));
    this.#packets = [];
  }

  #addPacket(frame: Float32Array): void {
    toInt16(frame, this.#pcm);
    this.#packets.push(this.#encoder.encode(this.#pcm));
    this.#encodedFrames++;
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
