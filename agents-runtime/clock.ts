/** A timer that can still be stopped. Stopping one that has fired does nothing. */
export interface Timer {
  cancel(): void;
}

/** The port for time: nothing else in this layer reads a clock, so tests run on a virtual one. */
export interface Clock {
  /** Milliseconds on a monotonic scale. */
  now(): number;
  after(ms: number, act: () => void): Timer;
}

/** Real time. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, act) {
    const handle = setTimeout(act, ms);
    return { cancel: () => clearTimeout(handle) };
  },
};
