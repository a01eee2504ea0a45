import { toFloat32, toInt16 } from '../../media/audio/pcm.js';
import { FRAME_MS } from '../timing/frame-ticker.js';

/** Audio behind the playhead that can be sent again: a lost connection is noticed after up to 4 s. */
const RESEND_MS = 5_000;
/**
 * Capacity. A client that stops reporting is assumed to play on after 5 s. By then up to 5.73 s are not
 * settled: 400 ms are sent ahead, in blocks of up to 80 ms, and `PlaybackTimeline` settles every 250 ms.
 */
const CAPACITY_MS = 6_000;
const MAX_FRAMES = CAPACITY_MS / FRAME_MS;

/** A frame as it was sent, rounded to 16 bit. */
interface SentFrame {
  /** Its position in the agent's audio, ms. */
  readonly positionMs: number;
  readonly samples: Float32Array;
}

/** Receives part of a frame. `samples` are valid only during the call. */
type EmitAudio = (positionMs: number, samples: Int16Array) => void;

/**
 * The audio that was sent, as a ring of 16-bit frames. Every frame that is sent is pushed, so a frame's
 * number is its position in the agent's audio. One array avoids objects that live for seconds, which cost
 * the garbage collector most.
 */
export class RetransmitBuffer {
  readonly #frameLength: number;
  readonly #ring: Int16Array;
  /** Clock time at which each frame was sent; NaN if the client did not receive it. */
  readonly #sentAt = new Float64Array(MAX_FRAMES);
  /** Number of the oldest frame to send again. */
  #first = 0;
  /** Number of the next frame for `readPassed`. */
  #next = 0;
  /** Number of the next frame to push. */
  #end = 0;

  /** @param frameLength - samples of a frame of 20 ms */
  constructor(frameLength: number) {
    this.#frameLength = frameLength;
    this.#ring = new Int16Array(frameLength * MAX_FRAMES);
  }

  /** Appends a frame, which it copies. */
  push(samples: Float32Array, sentAt: number): void {
    const number = this.#end++;
    toInt16(samples, this.#samplesOf(number));
    this.#sentAt[number % MAX_FRAMES] = sentAt;
    this.#dropBefore(this.#end - MAX_FRAMES);
  }

  /** The frames to send again that end after a position. */
  framesEndingAfter(positionMs: number): readonly SentFrame[] {
    return this.#framesFrom(Math.floor(positionMs / FRAME_MS));
  }

  /** The frames to send again that begin at a position or after it. */
  framesStartingAt(positionMs: number): readonly SentFrame[] {
    return this.#framesFrom(Math.ceil(positionMs / FRAME_MS));
  }

  /** Emits each frame once, when the position is after its beginning. */
  readPassed(positionMs: number, emit: EmitAudio): void {
    while (this.#next < this.#end && this.#next * FRAME_MS < positionMs) {
      const number = this.#next++;
      emit(number * FRAME_MS, this.#samplesOf(number));
    }
  }

  /** Emits the audio between two positions that was sent and is still in the ring. */
  read(fromMs: number, toMs: number, emit: EmitAudio): void {
    const samplesPerMs = this.#frameLength / FRAME_MS;
    for (let number = this.#oldestFrom(fromMs); number < this.#end; number++) {
      const startMs = number * FRAME_MS;
      if (startMs >= toMs) return;
      if (Number.isNaN(this.#sentAt[number % MAX_FRAMES])) continue;
      const from = Math.max(0, Math.round((fromMs - startMs) * samplesPerMs));
      const to = Math.round((toMs - startMs) * samplesPerMs);
      const samples = this.#samplesOf(number).subarray(from, to);
      if (samples.length > 0) emit(startMs + from / samplesPerMs, samples);
    }
  }

  /** Clock time at which the audio at a position, or the next sent audio after it, was sent. */
  sentAt(positionMs: number): number | undefined {
    for (let number = this.#oldestFrom(positionMs); number < this.#end; number++) {
      const sentAt = this.#sentAt[number % MAX_FRAMES]!;
      if (!Number.isNaN(sentAt)) return sentAt;
    }
    return undefined;
  }

  /** The frame at a position was sent again at this clock time. */
  markSent(positionMs: number, sentAt: number): void {
    this.#sentAt[Math.floor(positionMs / FRAME_MS) % MAX_FRAMES] = sentAt;
  }

  /** The client did not receive the frames from a position on. */
  markNotReceived(positionMs: number): void {
    for (let number = this.#oldestFrom(positionMs); number < this.#end; number++) {
      if (number * FRAME_MS >= positionMs) this.#sentAt[number % MAX_FRAMES] = Number.NaN;
    }
  }

  /** Stops offering audio that the playhead passed more than 5 s ago. */
  trim(playedMs: number): void {
    this.#dropBefore(Math.ceil((playedMs - RESEND_MS) / FRAME_MS));
  }

  /** Nothing that was sent so far is to be sent again. */
  clear(): void {
    this.#dropBefore(this.#end);
  }

  #dropBefore(number: number): void {
    this.#first = Math.min(this.#end, Math.max(this.#first, number));
    this.#next = Math.max(this.#next, this.#first);
  }

  #oldestFrom(positionMs: number): number {
    return Math.max(0, this.#end - MAX_FRAMES, Math.floor(positionMs / FRAME_MS));
  }

  #framesFrom(number: number): readonly SentFrame[] {
    const first = Math.max(this.#first, number);
    return Array.from({ length: Math.max(0, this.#end - first) }, (_, i) => this.#frame(first + i));
  }

  #frame(number: number): SentFrame {
    const samples = new Float32Array(this.#frameLength);
    toFloat32(this.#samplesOf(number), samples);
    return { positionMs: number * FRAME_MS, samples };
  }

  #samplesOf(number: number): Int16Array {
    const at = (number % MAX_FRAMES) * this.#frameLength;
    return this.#ring.subarray(at, at + this.#frameLength);
  }
}
