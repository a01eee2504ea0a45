import type { Clock, Timer } from '../contract/clock.js';

/** No further key for so long: what was pressed is whole. */
const PAUSE_MS = 1_200;
/** Says at once that what was pressed is whole. */
const END_KEY = '#';
const MAX_KEYS = 64;
/** The same key seen as a tone and told by the carrier within so long is one press. */
const SAME_PRESS_MS = 1_000;
const KEY = /^[0-9A-D*#]$/;

/** The user's turn that keys make: models and people read from it what was pressed. */
function textOfKeys(keys: string): string {
  return `Keypad input: ${keys}`;
}

/** Keys of a telephone become a turn of the user, after a short pause or `#`. */
export class DtmfCollector {
  readonly #clock: Clock;
  readonly #typed: (text: string) => void;
  #keys = '';
  #timer: Timer | undefined;
  #isToldByCarrier = false;
  #tone: { readonly key: string; readonly at: number } | undefined;

  constructor(clock: Clock, typed: (text: string) => void) {
    this.#clock = clock;
    this.#typed = typed;
  }

  /** The carrier, or the other side of a room, tells of a key. */
  press(key: string): void {
    this.#isToldByCarrier = true;
    const tone = this.#tone;
    this.#tone = undefined;
    if (tone?.key === key && this.#clock.now() - tone.at < SAME_PRESS_MS) return;
    this.#add(key);
  }

  /** The key's tones were heard; who is told of keys need not listen for them. */
  heard(key: string): void {
    if (this.#isToldByCarrier) return;
    this.#tone = { key, at: this.#clock.now() };
    this.#add(key);
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #add(key: string): void {
    if (!KEY.test(key)) return;
    this.#timer?.cancel();
    this.#keys += key;
    if (key === END_KEY || this.#keys.length >= MAX_KEYS) this.#report();
    else this.#timer = this.#clock.after(PAUSE_MS, () => this.#report());
  }

  #report(): void {
    this.#timer = undefined;
    const keys = this.#keys;
    this.#keys = '';
    this.#typed(textOfKeys(keys));
  }
}
