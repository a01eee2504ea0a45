import type { WebSocket } from 'ws';
import type { Clock } from '../../contract/clock.js';
import { ConnectionSilenceMonitor } from '../../timing/connection-silence-monitor.js';

const PING_MS = 2_000;
/** Time without any message or pong after which the connection counts as dead. */
const SILENT_MS = 3_500;
/** Time without a pong after which a client that still sends counts as no longer reading. */
const NO_PONG_MS = 8_000;

/**
 * Terminates a socket whose peer is gone, or no longer reads, so that the call can be resumed over another
 * socket.
 */
export class SocketHeartbeat {
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #silence: ConnectionSilenceMonitor;
  #pingedAt: number;
  #isPongDue = false;

  constructor(socket: WebSocket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    this.#pingedAt = clock.now();
    this.#silence = new ConnectionSilenceMonitor(clock, (silentMs, lostMs) =>
      this.#check(silentMs, lostMs),
    );
    socket.on('pong', () => {
      this.#isPongDue = false;
      this.active();
    });
  }

  /** A message of the client has arrived. */
  active(): void {
    this.#silence.active();
  }

  close(): void {
    this.#silence.close();
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
