import type { Clock } from '../contract/clock.js';

/** At most this much is sent ahead of what has been played. */
export const LEAD_MS = 400;
/** A client plays this much later than it could, of its own; what is more of its lag is the wire's. */
const CLIENT_BUFFER_MS = 60;
/** No wire is thought to be longer than this, there and back. */
const MAX_TRANSPORT_BUFFER_MS = 400;

/**
 * How far the agent's audio was sent and played, in ms of it since the call began: by the clock, put
 * right by what the client reports.
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

  /** The client reports where it stands. */
  get hasReports(): boolean {
    return this.#hasReports;
  }

  /** Up to here the client has surely played. */
  get surelyMs(): number {
    return this.#hasReports ? this.#reportedMs : this.#playedMs;
  }

  /** All that was sent has been played. */
  get isAtEnd(): boolean {
    return this.#playedMs >= this.#sentMs;
  }

  /** So much more may be sent now. */
  get roomMs(): number {
    return LEAD_MS - (this.#sentMs - this.#playedMs);
  }

  /** What the client has played since its last report, and plays until it is told to stop. */
  get aheadMs(): number {
    return Math.max(0, Math.min(this.#lagMs, MAX_TRANSPORT_BUFFER_MS) - CLIENT_BUFFER_MS);
  }

  /** Moves on by the clock, unless it stands still. Answers the clock's time. */
  advance(isStill: boolean): number {
    const now = this.#clock.now();
    const passed = now - this.#advancedAt;
    this.#advancedAt = now;
    if (!isStill) this.#playedMs = Math.min(this.#sentMs, this.#playedMs + passed);
    return now;
  }

  sent(ms: number): void {
    this.#sentMs += ms;
  }

  /**
   * Takes the client's word.
   * @param isStill the same position again is news then.
   * @returns false when the report brings nothing new: the clock goes on.
   */
  report(ms: number, isStill: boolean): boolean {
    this.#hasReports = true;
    if (ms < this.#reportedMs || (ms === this.#reportedMs && !isStill)) return false;
    this.#reportedMs = Math.min(ms, this.#sentMs);
    this.#playedMs = this.#reportedMs;
    return true;
  }

  /** How late (ms) the client's reports are, against when its audio was sent: its buffer and the wire, twice. */
  lag(ms: number): void {
    this.#lagMs = ms;
  }

  /** What was sent and not played was dropped. */
  skip(): void {
    this.#playedMs = this.#sentMs;
    this.#reportedMs = this.#sentMs;
  }
}
