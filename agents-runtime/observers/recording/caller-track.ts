import { AudioTrack } from './audio-track.js';

/** So long is waited for packets that tell whether those before them were late, or followed a gap. */
const HOLD_MS = 300;
/** Sound is not moved for less than this. A clock that drifts is off by as much at most. */
const TOLERANCE_MS = 6;
/** Who is so late has been silent: a gap, at once. */
const GAP_MS = 100;
/** A wire that has become slower is followed when it stays so. */
const SLOWER_FOR_MS = 2_000;
/** What a client may send at once after its wire was broken, and a little. */
const MAX_WAITING_MS = 13_000;

interface Packet {
  readonly samples: Int16Array;
  /** Where it begins in the samples that came, ms. */
  readonly fromMs: number;
  readonly arrivedAt: number;
  /** Of the recording's time, against the time of the samples that came: it was spoken no later. */
  readonly offsetMs: number;
}

/**
 * The caller's leg of a recording. Packets tell the time at which their last sample was spoken at the
 * latest; those of the next moments, which may have been quicker, tell it better.
 */
export class CallerTrack {
  readonly track: AudioTrack;
  readonly #delayMs: number;
  readonly #waiting: Packet[] = [];
  #received = 0;
  #offsetMs: number | undefined;
  /** How much later the least late packets have been, and for how long. */
  #slowerMs = Number.POSITIVE_INFINITY;
  #slowerFor = 0;

  /**
   * @param rate Hz of what comes
   * @param delayMs so long ago what comes was received
   */
  constructor(rate: number, delayMs = 0) {
    this.#delayMs = delayMs;
    this.track = new AudioTrack('caller', rate);
  }

  /** Sound that arrived at this time of the recording; it is copied. */
  push(samples: Int16Array, nowMs: number): void {
    const first = this.#waiting[0];
    const fromMs = this.#ms(this.#received);
    if (samples.length === 0 || (first && fromMs - first.fromMs > MAX_WAITING_MS)) return;
    this.#received += samples.length;
    const offsetMs = nowMs - this.#delayMs - this.#ms(this.#received);
    this.#waiting.push({ samples: samples.slice(), fromMs, arrivedAt: nowMs, offsetMs });
  }

  /** Places what has waited for long enough. */
  settle(nowMs: number, isLast = false): void {
    let settled = 0;
    // The least late of a packet and all behind it, from the back.
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
    // Nothing was spoken before the recording began.
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
