import { AudioTrack } from './audio-track.js';

/** A packet is placed after this time: packets that follow show whether it was late or followed a gap. */
const HOLD_MS = 300;
/** Audio is not moved by less than this, so a drifting clock is off by at most this much. */
const TOLERANCE_MS = 6;
/** A packet that is later than this follows a gap. */
const GAP_MS = 100;
/** A longer delay of the transport counts when it lasts for this time. */
const SLOWER_FOR_MS = 2_000;
/** Longest audio that a client may send at once after its connection was lost, with a margin. */
const MAX_WAITING_MS = 13_000;

interface Packet {
  readonly samples: Int16Array;
  /** Its start in the received audio, ms. */
  readonly fromMs: number;
  readonly arrivedAt: number;
  /** Recording time minus position in the received audio, ms, if the packet was not delayed. */
  readonly offsetMs: number;
}

/**
 * The caller's leg of a recording. A packet's last sample was spoken before the packet arrived. The least
 * delayed packet of the next moments gives the best estimate of when. Calls use a faster estimate, see
 * `input/audio-input.ts`.
 */
export class CallerTrack {
  readonly track: AudioTrack;
  readonly #delayMs: number;
  readonly #waiting: Packet[] = [];
  #received = 0;
  #offsetMs: number | undefined;
  /** By how much the least delayed packets have been later, and for how long, ms. */
  #slowerMs = Number.POSITIVE_INFINITY;
  #slowerFor = 0;

  /**
   * @param rate - sample rate in Hz
   * @param delayMs - time between the arrival of audio and `push`
   */
  constructor(rate: number, delayMs = 0) {
    this.#delayMs = delayMs;
    this.track = new AudioTrack('caller', rate);
  }

  /** Audio that arrived at this recording time. Copied. */
  push(samples: Int16Array, nowMs: number): void {
    const first = this.#waiting[0];
    const fromMs = this.#ms(this.#received);
    if (samples.length === 0 || (first && fromMs - first.fromMs > MAX_WAITING_MS)) return;
    this.#received += samples.length;
    const offsetMs = nowMs - this.#delayMs - this.#ms(this.#received);
    this.#waiting.push({ samples: samples.slice(), fromMs, arrivedAt: nowMs, offsetMs });
  }

  /** Places the packets that have waited long enough. */
  settle(nowMs: number, isLast = false): void {
    let settled = 0;
    // For each packet, the least delay of it and of all that follow.
    const least = new Array<number>(this.#waiting.length);
    for (let i = this.#waiting.length - 1, min = Number.POSITIVE_INFINITY; i >= 0; i--) {
      min = Math.min(min, this.#waiting[i]!.offsetMs);
      least[i] = min;
    }
    for (const packet of this.#waiting) {
      if (!isLast && nowMs - packet.arrivedAt < HOLD_MS) break;
      this.#place(packet, least[settled++]!);
    }
    this.#waiting.splice(0, settled);
  }

  #place({ samples, fromMs }: Packet, offsetMs: number): void {
    // The recording starts at 0.
    this.#follow(Math.max(offsetMs, -fromMs), this.#ms(samples.length));
    this.track.place(fromMs + (this.#offsetMs ?? 0), samples);
  }

  #follow(offsetMs: number, lengthMs: number): void {
    const laterMs = offsetMs - (this.#offsetMs ?? Number.NEGATIVE_INFINITY);
    if (laterMs > GAP_MS || laterMs < -TOLERANCE_MS) this.#offsetMs = offsetMs;
    else if (laterMs > TOLERANCE_MS) {
      this.#slowerMs = Math.min(this.#slowerMs, laterMs);
      this.#slowerFor += lengthMs;
      if (this.#slowerFor < SLOWER_FOR_MS) return;
      this.#offsetMs = (this.#offsetMs ?? 0) + this.#slowerMs;
    }
    this.#slowerMs = Number.POSITIVE_INFINITY;
    this.#slowerFor = 0;
  }

  #ms(samples: number): number {
    return (samples * 1000) / this.track.rate;
  }
}
