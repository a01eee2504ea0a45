import { setMaxListeners } from 'node:events';
import type { RawData, WebSocket } from 'ws';
import type { Clock, Timer } from '../../../../agents-runtime/contract/clock.js';
import { CLOSE_CODES } from '../../../platform/http/close-codes.js';
import type { CloseFrame } from './close-frame.js';
import type { ServerMessage } from './protocol.js';

/** Unsent bytes above which `send` waits. */
const HIGH_WATER = 128 * 1_024;
/** Unsent bytes at which the socket is terminated. */
const MAX_BACKLOG = 2 * 1_048_576;

export interface SocketWriterOptions {
  readonly clock: Clock;
  /** The socket is closed normally after this time without a message in either direction. */
  readonly idleMs: number;
  /** The socket is terminated after this time without progress in sending. */
  readonly stallMs: number;
  /** Handles a text frame. The next frame follows when the promise resolves. Must not reject. */
  readonly onFrame: (frame: Buffer) => Promise<void>;
}

/** One speech socket: delivers frames one at a time, and sends messages with backpressure. */
export class SocketWriter {
  readonly #socket: WebSocket;
  readonly #options: SocketWriterOptions;
  readonly #ended = new AbortController();
  #handling: Promise<void> = Promise.resolve();
  #queuedFrames = 0;
  #lastSent: Promise<void> = Promise.resolve();
  #idle: Timer | undefined;

  constructor(socket: WebSocket, options: SocketWriterOptions) {
    this.#socket = socket;
    this.#options = options;
    // One listener per context.
    setMaxListeners(0, this.signal);
    socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary));
    socket.on('close', () => this.#end());
    // `ws` sends the close code and discards incoming data for at most 30 s.
    socket.on('error', () => this.#end());
    this.#restartIdleTimer();
  }

  /** Aborted when the socket is closed by either side. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Sends a message. Resolves when another one may be sent. */
  async send(message: ServerMessage): Promise<void> {
    if (this.signal.aborted) return;
    this.#restartIdleTimer();
    this.#lastSent = new Promise((resolve) => {
      // Fails only if the socket has closed.
      this.#socket.send(JSON.stringify(message), () => resolve());
    });
    const { bufferedAmount } = this.#socket;
    if (bufferedAmount > MAX_BACKLOG) this.#socket.terminate();
    else if (bufferedAmount > HIGH_WATER) await this.#drained();
  }

  /** Closes at once. Unsent messages may be lost. */
  close({ code, reason }: CloseFrame): void {
    if (this.signal.aborted) return;
    this.#end();
    this.#socket.close(code, reason);
  }

  /** Closes normally after all messages are sent. */
  async finish(): Promise<void> {
    if (this.signal.aborted) return;
    await this.#drained();
    this.close({ code: CLOSE_CODES.normal, reason: '' });
  }

  #end(): void {
    this.#idle?.cancel();
    this.#ended.abort();
  }

  #restartIdleTimer(): void {
    this.#idle?.cancel();
    this.#idle = this.#options.clock.after(this.#options.idleMs, () =>
      this.close({ code: CLOSE_CODES.normal, reason: 'nothing was said for a long time' }),
    );
  }

  /** Resolves when the last message is sent. Terminates the socket if sending makes no progress. */
  async #drained(): Promise<void> {
    let backlog = this.#socket.bufferedAmount;
    const check = () => {
      const { bufferedAmount } = this.#socket;
      if (bufferedAmount >= backlog) this.#socket.terminate();
      backlog = bufferedAmount;
      timer = this.#options.clock.after(this.#options.stallMs, check);
    };
    let timer = this.#options.clock.after(this.#options.stallMs, check);
    await this.#lastSent;
    timer.cancel();
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    // A closing socket still delivers frames.
    if (this.signal.aborted || this.#socket.readyState !== this.#socket.OPEN) return;
    if (isBinary) {
      this.close({ code: CLOSE_CODES.unsupportedData, reason: 'messages are JSON text' });
      return;
    }
    this.#restartIdleTimer();
    // Pauses reading while frames are queued.
    if (this.#queuedFrames++ === 0) this.#socket.pause();
    this.#handling = this.#handling.then(async () => {
      if (!this.signal.aborted) await this.#options.onFrame(data as Buffer);
      if (--this.#queuedFrames === 0) this.#socket.resume();
    });
  }
}
