import type { Clock, Timer } from '../../../contract/clock.js';

/** In the order of their codes (RFC 4733, 3.2); LiveKit SIP knows small letters only. */
const KEYS = '0123456789*#abcd';
/** From one key to the next: the tones of one take 250 ms. Source: LiveKit's agents, their send_dtmf_events. */
const EVERY_MS = 300;
/** More than a menu asks for; what comes beyond is not pressed. */
const MAX_WAITING = 128;

/** Presses one key: a code, and what is on the key. */
export type SendDtmf = (code: number, digit: string) => Promise<void>;

/** Keys that are pressed towards who telephones, one after the other: LiveKit SIP makes the tones. */
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

  /** What waits is not pressed any more. */
  close(): void {
    this.#timer?.cancel();
    this.#waiting = '';
  }

  #next(): void {
    this.#timer = undefined;
    const key = this.#waiting.charAt(0);
    if (!key) return;
    this.#waiting = this.#waiting.slice(1);
    this.#timer = this.#clock.after(EVERY_MS, () => this.#next());
    // One that does not get there is lost, as a tone on a bad line is.
    this.#press(KEYS.indexOf(key), key).catch(() => undefined);
  }
}
