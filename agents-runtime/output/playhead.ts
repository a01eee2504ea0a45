import type { Clock } from '../contract/clock.js';

/** At most this much is sent ahead of what has been played. */
export const LEAD_MS = 400;
/** Share of a client's lag that is due to its own buffer; the rest is network delay. */
const CLIENT_BUFFER_MS = 60;
/** Largest lag that is assumed. */
const MAX_LAG_MS = 400;

/**
 * How much of the agent's audio was sent and played, in ms since the call began: by the clock, corrected
 * by the client's reports.
 */
export class Playhead {
  readonly #clock: Clock;
  #advancedAt: number;
  #sentMs = 0;
  #playedMs = 0;
  #reportedMs = 0;
  #hasReports = false;
  #lagMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#advancedAt = clock.now();
  }

  get sentMs(): number {
    return this.#sentMs;
  }

  get playedMs(): number {
    return this.#playedMs;
  }

  /** The client reports its position. */
  get hasReports(): boolean {
    return this.#hasReports;
  }

  /** Last reported position; the estimate for a client without reports. */
  get confirmedMs(): number {
    return this.#hasReports ? this.#reportedMs : this.#playedMs;
  }

  /** All that was sent has been played. */
  get isAtEnd(): boolean {
    return this.#playedMs >= this.#sentMs;
  }

  /** Audio that may be sent now, ms. */
  get roomMs(): number {
    return LEAD_MS - (this.#sentMs - this.#playedMs);
  }

  /** Audio that the client plays between its last report and the arrival of a command, ms. */
  get aheadMs(): number {
    return Math.max(0, Math.min(this.#lagMs, MAX_LAG_MS) - CLIENT_BUFFER_MS);
  }

  /** Advances by the clock, unless the client does not play. @returns the clock's time */
  advance(isStopped: boolean): number {
    const now = this.#clock.now();
    const passed = now - this.#advancedAt;
    this.#advancedAt = now;
    if (!isStopped) this.#playedMs = Math.min(this.#sentMs, this.#playedMs + passed);
    return now;
  }

  sent(ms: number): void {
    this.#sentMs += ms;
  }

  /**
   * Corrects the estimate.
   * @param isPaused - while paused, a repeated position confirms the pause
   * @returns false if the report brings no information
   */
  report(ms: number, isPaused: boolean): boolean {
    this.#hasReports = true;
    if (ms < this.#reportedMs || (ms === this.#reportedMs && !isPaused)) return false;
    this.#reportedMs = Math.min(ms, this.#sentMs);
    this.#playedMs = this.#reportedMs;
    return true;
  }

  /** Time from sending audio to the report that it plays, ms: the client's buffer and the round trip. */
  setLag(ms: number): void {
    this.#lagMs = ms;
  }

  /** The audio that was sent and not played has been dropped. */
  skip(): void {
    this.#playedMs = this.#sentMs;
    this.#reportedMs = this.#sentMs;
  }
}
