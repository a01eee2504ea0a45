import { dtmfTones } from '../../../media/audio/dtmf-tones.js';
import type { Clock, Timer } from '../../contract/clock.js';

/** The next digit is sent when less than this remains of the digit before, in milliseconds. */
const LEAD_MS = 200;
/** The echo of a digit returns within this time; network delay dominates. */
const ECHO_MS = 1_000;
/** Queued digits; further ones are dropped. */
const MAX_WAITING = 128;

/**
 * Sends DTMF digits as tones: each in one block, once the speech before it has been played, and none far ahead.
 * It uses the clock, because not all carriers return marks.
 */
export class DtmfSender {
  readonly #clock: Clock;
  readonly #sampleRate: number;
  readonly #send: (tones: Float32Array) => void;
  #waiting = '';
  #timer: Timer | undefined;
  /** Clock time in ms at which the speech, and the digits, that were sent will have been played. */
  #spokenAt = 0;
  #pressedAt = Number.NEGATIVE_INFINITY;

  /** @param send - receives the tones of one digit and the silence after them, at `sampleRate` Hz */
  constructor(clock: Clock, sampleRate: number, send: (tones: Float32Array) => void) {
    this.#clock = clock;
    this.#sampleRate = sampleRate;
    this.#send = send;
  }

  /** Digits are queued or being played; speech waits. */
  get isBusy(): boolean {
    return this.#waiting !== '' || this.#pressedAt > this.#clock.now();
  }

  /** A digit that is detected now may be the echo of one that was sent. */
  get mayEcho(): boolean {
    return this.#pressedAt + ECHO_MS > this.#clock.now();
  }

  press(keys: string): void {
    this.#waiting = (this.#waiting + keys.toUpperCase()).slice(0, MAX_WAITING);
    if (!this.#timer) this.#next();
  }

  /** Speech of this length was sent. */
  spoke(ms: number): void {
    const now = this.#clock.now();
    this.#spokenAt = Math.max(now, this.#spokenAt, this.#pressedAt) + ms;
  }

  /** Drops speech. @returns whether the carrier must drop its audio; false while the carrier holds only digits */
  clear(): boolean {
    const now = this.#clock.now();
    if (this.#pressedAt > now && this.#spokenAt <= now) return false;
    this.#spokenAt = now;
    this.#pressedAt = Math.min(now, this.#pressedAt);
    return true;
  }

  /** Drops the queued digits. */
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
