import type { Clock, Timer } from '../../../contract/clock.js';

/** In the order of their codes (RFC 4733, 3.2). LiveKit SIP accepts lower-case letters only. */
const KEYS = '0123456789*#abcd';
/** Interval between digits; the tones of one take 250 ms. Source: LiveKit Agents, send_dtmf_events. */
const INTERVAL_MS = 300;
/** Queued digits; further ones are dropped. */
const MAX_WAITING = 128;

/** Sends one digit with its code. */
export type SendDtmf = (code: number, digit: string) => Promise<void>;

/** Sends DTMF digits to a telephone, one after the other. LiveKit SIP generates the tones. */
export class RoomDtmfSender {
  readonly #clock: Clock;
  readonly #press: SendDtmf;
  #waiting = '';
  #timer: Timer | undefined;

  constructor(clock: Clock, press: SendDtmf) {
    this.#clock = clock;
    this.#press = press;
  }

  press(keys: string): void {
    this.#waiting = (this.#waiting + keys.toLowerCase()).slice(0, MAX_WAITING);
    if (!this.#timer) this.#next();
  }

  /** Drops the queued digits. */
  close(): void {
    this.#timer?.cancel();
    this.#waiting = '';
  }

  #next(): void {
    this.#timer = undefined;
    const key = this.#waiting.charAt(0);
    if (!key) return;
    this.#waiting = this.#waiting.slice(1);
    this.#timer = this.#clock.after(INTERVAL_MS, () => this.#next());
    // A digit that fails is lost.
    this.#press(KEYS.indexOf(key), key).catch(() => undefined);
  }
}
