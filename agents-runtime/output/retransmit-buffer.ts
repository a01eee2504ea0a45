import { toFloat32, toInt16 } from '../../media/audio/pcm.js';
import { FRAME_MS } from '../timing/frame-ticker.js';
import { LEAD_MS } from './playhead.js';

/** What lies behind the playhead and is kept: a wire that died is noticed after up to 4 s. */
const KEPT_MS = 5_000;
const MAX_FRAMES = (KEPT_MS + LEAD_MS) / FRAME_MS;

/** A frame as it was sent, rounded to 16 bit. */
interface SentFrame {
  /** Its position in the agent's audio. */
  readonly atMs: number;
  readonly samples: Float32Array;
}

/**
 * The frames that a client may not have heard yet, in case it needs them again. All that is sent is pushed:
 * a frame's number is its place in the agent's audio. One ring holds them, half as large as the samples
 * were: arrays that live for seconds are what a collector has most work with.
 */
export class RetransmitBuffer {
  readonly #length: number;
  readonly #ring: Int16Array;
  /** Numbers of the oldest frame that is kept, of the next one to tell of, and of the next to come. */
  #first = 0;
  #next = 0;
  #end = 0;

  /** @param frameLength samples */
  constructor(frameLength: number) {
    this.#length = frameLength;
    this.#ring = new Int16Array(frameLength * MAX_FRAMES);
  }

  /** Takes the next frame, which it copies. */
  push(samples: Float32Array): void {
    toInt16(samples, this.#placeOf(this.#end++));
    this.#forgetBefore(this.#end - MAX_FRAMES);
  }

  /** Those whose sound reaches beyond a position. */
  beyond(positionMs: number): readonly SentFrame[] {
    return this.#from(Math.floor(positionMs / FRAME_MS));
  }

  /** Those that begin at a position or behind it. */
  from(positionMs: number): readonly SentFrame[] {
    return this.#from(Math.ceil(positionMs / FRAME_MS));
  }

  /** Tells of each frame, once, when a position lies behind its beginning. */
  reportUpTo(positionMs: number, tell: (frame: SentFrame) => void): void {
    while (this.#next < this.#end && this.#next * FRAME_MS < positionMs) {
      tell(this.#frame(this.#next++));
    }
  }

  /** Forgets what the playhead has left far behind. */
  trim(playedMs: number): void {
    this.#forgetBefore(Math.ceil((playedMs - KEPT_MS) / FRAME_MS));
  }

  clear(): void {
    this.#forgetBefore(this.#end);
  }

  #forgetBefore(number: number): void {
    this.#first = Math.min(this.#end, Math.max(this.#first, number));
    this.#next = Math.max(this.#next, this.#first);
  }

  #from(number: number): readonly SentFrame[] {
    const first = Math.max(this.#first, number);
    return Array.from({ length: Math.max(0, this.#end - first) }, (_, i) => this.#frame(first + i));
  }

  #frame(number: number): SentFrame {
    const samples = new Float32Array(this.#length);
    toFloat32(this.#placeOf(number), samples);
    return { atMs: number * FRAME_MS, samples };
  }

  #placeOf(number: number): Int16Array {
    const at = (number % MAX_FRAMES) * this.#length;
    return this.#ring.subarray(at, at + this.#length);
  }
}
