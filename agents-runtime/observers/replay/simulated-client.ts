import type { Clock } from '../../contract/clock.js';
import type { Transport } from '../../contract/transport.js';
import type { ReplayHeader } from './replay-format.js';

const STEP_MS = 20;
/** A client reports about ten times a second. */
const REPORT_STEPS = 5;

/** A client without network delay, which plays by the call's clock. */
export class SimulatedClient implements Transport {
  readonly sampleRate: number;
  readonly hasEchoCanceller: boolean;
  readonly canPause: boolean;
  readonly callerDelayMs = 0;
  readonly backlogBytes = 0;
  onPlayed: (playedMs: number) => void = () => undefined;
  readonly #clock: Clock;
  #receivedMs = 0;
  #playedMs = 0;
  #isPaused = false;
  #isAway = false;
  #isClosed = false;
  #steps = 0;

  constructor(clock: Clock, { sampleRate, hasEchoCanceller, canPause = true }: ReplayHeader) {
    this.#clock = clock;
    this.sampleRate = sampleRate;
    this.hasEchoCanceller = hasEchoCanceller;
    this.canPause = canPause;
    clock.after(STEP_MS, () => this.#step());
  }

  /** End of the received audio, ms. */
  get receivedMs(): number {
    return this.#receivedMs;
  }

  sendAudio(samples: Float32Array): void {
    if (!this.#isAway) this.#receivedMs += (samples.length * 1000) / this.sampleRate;
  }

  pause(): void {
    if (this.#isAway) return;
    this.#isPaused = true;
    this.#report();
  }

  resumeFrom(fromMs: number): void {
    if (this.#isAway) return;
    this.#playedMs = fromMs;
    this.#isPaused = false;
  }

  clear(): void {
    if (this.#isAway) return;
    this.#report();
    this.#playedMs = this.#receivedMs;
    this.#isPaused = false;
  }

  send(): void {
    // The client shows nothing.
  }

  close(): void {
    this.#isClosed = true;
  }

  /** The connection is lost: the client plays the audio that it has. */
  leave(): void {
    this.#isAway = true;
  }

  /** The connection is back; the next audio starts at this position. */
  comeBack(fromMs: number): void {
    this.#isAway = false;
    if (fromMs > this.#receivedMs) this.#playedMs = fromMs;
    this.#receivedMs = Math.max(this.#receivedMs, fromMs);
  }

  #step(): void {
    if (this.#isClosed) return;
    this.#clock.after(STEP_MS, () => this.#step());
    if (this.#isPaused || this.#playedMs >= this.#receivedMs) return;
    this.#playedMs = Math.min(this.#receivedMs, this.#playedMs + STEP_MS);
    if (++this.#steps % REPORT_STEPS === 0 || this.#playedMs >= this.#receivedMs) this.#report();
  }

  #report(): void {
    if (!this.#isAway) this.onPlayed(this.#playedMs);
  }
}
