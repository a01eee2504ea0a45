import type { WebSocket } from 'ws';
import type { Clock, Timer } from '../../clock.js';

const CHECK_MS = 1_000;
const PING_MS = 2_000;
/** A wire over which nothing comes for so long, not even an answer to a ping, is dead. */
const SILENT_MS = 3_500;
/** A client that sends but answers no ping for so long has stopped reading. */
const NO_PONG_MS = 8_000;

/**
 * Notices a wire that died without a word, and a client that no longer reads: both are cut off, so
 * that the call is lost (and may be taken up again) instead of running on for nobody.
 */
export class Liveness {
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  #heardAt: number;
  #pingedAt: number;
  #isPongDue = false;
  #checkedAt: number;
  #timer: Timer | undefined;

  constructor(socket: WebSocket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    this.#heardAt = clock.now();
    this.#pingedAt = clock.now();
    this.#checkedAt = clock.now();
    socket.on('pong', () => {
      this.#isPongDue = false;
      this.heard();
    });
    this.#check();
  }

  /** Something came from the client. */
  heard(): void {
    this.#heardAt = this.#clock.now();
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #check(): void {
    const now = this.#clock.now();
    // Time that this process itself lost is nobody's silence.
    const lateMs = Math.max(0, now - this.#checkedAt - 2 * CHECK_MS);
    this.#checkedAt = now;
    this.#heardAt += lateMs;
    this.#pingedAt += lateMs;
    const isUnread = this.#isPongDue && now - this.#pingedAt > NO_PONG_MS;
    if (isUnread || now - this.#heardAt > SILENT_MS) {
      this.#socket.terminate();
      return;
    }
    if (!this.#isPongDue && now - this.#pingedAt >= PING_MS) {
      this.#pingedAt = now;
      this.#isPongDue = true;
      this.#socket.ping();
    }
    this.#timer = this.#clock.after(CHECK_MS, () => this.#check());
  }
}
