import type { Clock, Ticker, Timer } from '../contract/clock.js';

export const FRAME_MS = 20;
/** A timer may fire this much early, because Node's timers have a resolution of 1 ms. */
const EARLY_MS = 1;

/** Receives the lateness of each frame's tick in ms. */
export type FrameObserver = (lateMs: number) => void;

/**
 * One timer for all legs that send frames; a timer for each leg would cost more than the work that it starts.
 * It runs while a leg has joined. Each tick that a delay skipped counts as a late frame.
 */
export class FrameTicker implements Ticker {
  readonly #clock: Clock;
  readonly #observe: FrameObserver;
  readonly #onFault: (error: unknown) => void;
  readonly #legs = new Set<() => void>();
  #timer: Timer | undefined;
  #dueAt = 0;

  /** @param onFault receives what a leg threw. That leg is removed; the others are not affected. */
  constructor(
    clock: Clock,
    observe: FrameObserver = () => undefined,
    onFault: (error: unknown) => void = () => undefined,
  ) {
    this.#clock = clock;
    this.#observe = observe;
    this.#onFault = onFault;
  }

  join(act: () => void): Timer {
    // A new function for each leg, so that two legs may share `act`.
    const leg = () => act();
    this.#legs.add(leg);
    if (!this.#timer) {
      this.#dueAt = this.#clock.now() + FRAME_MS;
      this.#schedule();
    }
    return { cancel: () => this.#leave(leg) };
  }

  #leave(leg: () => void): void {
    this.#legs.delete(leg);
    if (this.#legs.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #schedule(): void {
    const waitMs = Math.max(0, Math.ceil(this.#dueAt - this.#clock.now()));
    this.#timer = this.#clock.after(waitMs, () => this.#tick());
  }

  #tick(): void {
    const now = this.#clock.now();
    const dueAt = this.#dueAt;
    while (this.#dueAt <= now + EARLY_MS) this.#dueAt += FRAME_MS;
    // First, so that nothing below can stop the ticker of all calls.
    this.#schedule();
    for (const leg of [...this.#legs]) {
      if (!this.#legs.has(leg)) continue;
      try {
        leg();
      } catch (error) {
        this.#leave(leg);
        this.#onFault(error);
      }
    }
    for (let at = dueAt; at < this.#dueAt; at += FRAME_MS) this.#observe(Math.max(0, now - at));
  }
}
