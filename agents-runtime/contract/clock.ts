/** A running timer. */
export interface Timer {
  /** Stops the timer. No effect after it has fired. */
  cancel(): void;
}

/**
 * The port for time, so that tests run on a virtual clock. In this layer only `systemClock` and the LiveKit
 * dispatch thread, for its pings, read the time themselves.
 */
export interface Clock {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** Calls `act` once, `ms` milliseconds from now. */
  after(ms: number, act: () => void): Timer;
}

/** The port for the audio clock. */
export interface Ticker {
  /** Calls `act` every 20 ms until the timer is cancelled or `act` throws. */
  join(act: () => void): Timer;
}
