import { isDtmfDigit } from '../../media/audio/dtmf-tones.js';
import type { Clock, Timer } from '../contract/clock.js';

/** Pause after which the digits are complete. */
const PAUSE_MS = 1_200;
/** Completes the digits at once. */
const END_KEY = '#';
const MAX_KEYS = 64;
/** A tone and a carrier event for the same digit within this time are one press. */
const SAME_PRESS_MS = 1_000;

/** Collects DTMF digits into a typed text of the caller, which is complete after a pause or `#`. */
export class DtmfCollector {
  readonly #clock: Clock;
  readonly #typed: (text: string) => void;
  #keys = '';
  #timer: Timer | undefined;
  #hasCarrierEvents = false;
  #tone: { readonly key: string; readonly startedAt: number } | undefined;

  constructor(clock: Clock, typed: (text: string) => void) {
    this.#clock = clock;
    this.#typed = typed;
  }

  /** A carrier or a room reports a digit. */
  press(key: string): void {
    this.#hasCarrierEvents = true;
    const tone = this.#tone;
    this.#tone = undefined;
    if (tone?.key === key && this.#clock.now() - tone.startedAt < SAME_PRESS_MS) return;
    this.#add(key);
  }

  /** The digit's tones were detected. Ignored once the carrier has reported a digit. */
  detected(key: string): void {
    if (this.#hasCarrierEvents) return;
    this.#tone = { key, startedAt: this.#clock.now() };
    this.#add(key);
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #add(key: string): void {
    if (!isDtmfDigit(key)) return;
    this.#timer?.cancel();
    this.#keys += key;
    if (key === END_KEY || this.#keys.length >= MAX_KEYS) this.#report();
    else this.#timer = this.#clock.after(PAUSE_MS, () => this.#report());
  }

  #report(): void {
    this.#timer = undefined;
    const keys = this.#keys;
    this.#keys = '';
    this.#typed(`Keypad input: ${keys}`);
  }
}
