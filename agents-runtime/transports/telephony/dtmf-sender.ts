import { dtmfTones } from '../../../media/audio/dtmf-tones.js';
import type { Clock, Timer } from '../../contract/clock.js';

/** The tones of the next key go out when less than this is left of those before: all of it is soon heard. */
const LEAD_MS = 200;
/** A line's echo of a key comes back within so long; what networks delay is more than what a room does. */
const ECHO_MS = 1_000;
/** More than a menu asks for; what comes beyond is not pressed. */
const MAX_WAITING = 128;

/**
 * Keys that are pressed towards the other side, as tones: each in one piece, once the speech before it has
 * been heard, and none far ahead. By the clock: carriers without marks have keys, too.
 */
export class DtmfSender {
  readonly #clock: Clock;
  readonly #sampleRate: number;
  readonly #send: (tones: Float32Array) => void;
  #waiting = '';
  #timer: Timer | undefined;
  /** When the speech and the keys that were sent will have been heard, ms of the clock. */
  #spokenAt = 0;
  #pressedAt = Number.NEGATIVE_INFINITY;

  /** @param send takes the tones of one key and the silence behind them, at this rate (Hz). */
  constructor(clock: Clock, sampleRate: number, send: (tones: Float32Array) => void) {
    this.#clock = clock;
    this.#sampleRate = sampleRate;
    this.#send = send;
  }

  /** Speech waits meanwhile. */
  get isBusy(): boolean {
    return this.#waiting !== '' || this.#pressedAt > this.#clock.now();
  }

  /** A key that is heard now may be the echo of one that was sent. */
  get mayEcho(): boolean {
    return this.#pressedAt + ECHO_MS > this.#clock.now();
  }

  press(keys: string): void {
    this.#waiting = (this.#waiting + keys.toUpperCase()).slice(0, MAX_WAITING);
    if (!this.#timer) this.#next();
  }

  /** So much speech was sent. */
  spoke(ms: number): void {
    const now = this.#clock.now();
    this.#spokenAt = Math.max(now, this.#spokenAt, this.#pressedAt) + ms;
  }

  /** Speech is to be dropped. @returns whether the carrier has any: where it has keys alone, they stay. */
  clear(): boolean {
    const now = this.#clock.now();
    if (this.#pressedAt > now && this.#spokenAt <= now) return false;
    this.#spokenAt = now;
    this.#pressedAt = Math.min(now, this.#pressedAt);
    return true;
  }

  /** What waits is not pressed any more. */
  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#waiting = '';
  }

  #next(): void {
    this.#timer = undefined;
    if (this.#waiting === '') return;
    const now = this.#clock.now();
    const waitMs = Math.max(this.#spokenAt - now, this.#pressedAt - LEAD_MS - now);
    if (waitMs <= 0) {
      const tones = dtmfTones(this.#waiting.charAt(0), this.#sampleRate);
      this.#waiting = this.#waiting.slice(1);
      this.#pressedAt = Math.max(now, this.#pressedAt) + (tones.length * 1000) / this.#sampleRate;
      this.#send(tones);
    }
    this.#timer = this.#clock.after(Math.max(0, waitMs), () => this.#next());
  }
}
