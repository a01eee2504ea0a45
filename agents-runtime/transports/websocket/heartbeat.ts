import type { WebSocket } from 'ws';
import type { Clock } from '../../contract/clock.js';
import { InactivityWatchdog } from '../../timing/inactivity-watchdog.js';

const PING_MS = 2_000;
/** A wire over which nothing comes for so long, not even an answer to a ping, is dead. */
const SILENT_MS = 3_500;
/** A client that sends but answers no ping for so long has stopped reading. */
const NO_PONG_MS = 8_000;

/**
 * Notices a wire that died without a word, and a client that no longer reads: both are cut off, so
 * that the call is lost (and may be taken up again) instead of running on for nobody.
 */
export class SocketHeartbeat {
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #watch: InactivityWatchdog;
  #pingedAt: number;
  #isPongDue = false;

  constructor(socket: WebSocket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    this.#pingedAt = clock.now();
    this.#watch = new InactivityWatchdog(clock, (silentMs, lostMs) =>
      this.#check(silentMs, lostMs),
    );
    socket.on('pong', () => {
      this.#isPongDue = false;
      this.heard();
    });
  }

  /** Something came from the client. */
  heard(): void {
    this.#watch.heard();
  }

  close(): void {
    this.#watch.close();
  }

  #check(silentMs: number, lostMs: number): void {
    const now = this.#clock.now();
    this.#pingedAt += lostMs;
    const isUnread = this.#isPongDue && now - this.#pingedAt > NO_PONG_MS;
    if (isUnread || silentMs > SILENT_MS) {
      this.close();
      this.#socket.terminate();
    } else if (!this.#isPongDue && now - this.#pingedAt >= PING_MS) {
      this.#pingedAt = now;
      this.#isPongDue = true;
      this.#socket.ping();
    }
  }
}
