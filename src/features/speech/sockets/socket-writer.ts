import { setMaxListeners } from 'node:events';
import type { RawData, WebSocket } from 'ws';
import type { Clock, Timer } from '../../../../agents-runtime/contract/clock.js';
import { CLOSE, type CloseFrame } from './close-codes.js';
import type { ServerMessage } from './protocol.js';

/** Who has more than this to take, in bytes, gets nothing more until it has taken it. */
const HIGH_WATER = 128 * 1_024;
/** Who asks for answers and takes none is cut off at this backlog, bytes. */
const MAX_BACKLOG = 2 * 1_048_576;

export interface SocketWriterOptions {
  readonly clock: Clock;
  /** Closed normally after this time without a message, either way. */
  readonly idleMs: number;
  /** Cut off after this time of taking nothing. */
  readonly stallMs: number;
  /** Handles a text frame; the next one comes when it has resolved. It does not reject. */
  readonly onFrame: (frame: Buffer) => Promise<void>;
}

/** One speech socket: frames in, one at a time; messages out, no faster than they are taken. */
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
    // Each context listens.
    setMaxListeners(0, this.signal);
    socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary));
    socket.on('close', () => this.#end());
    // The library sends the close code and discards what still arrives, for 30 s at most. A client that
    // is cut off while it sends loses the code.
    socket.on('error', () => this.#end());
    this.#restartIdleTimer();
  }

  /** Fires when the socket is closed, by whom ever. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Sends a message; resolves when there is room for another one. */
  async send(message: ServerMessage): Promise<void> {
    if (this.signal.aborted) return;
    this.#restartIdleTimer();
    this.#lastSent = new Promise((resolve) => {
      // A fault is that of a socket that has closed.
      this.#socket.send(JSON.stringify(message), () => resolve());
    });
    const { bufferedAmount } = this.#socket;
    if (bufferedAmount > MAX_BACKLOG) this.#socket.terminate();
    else if (bufferedAmount > HIGH_WATER) await this.#drained();
  }

  /** Closes at once; what was not taken yet may be lost. */
  close({ code, reason }: CloseFrame): void {
    if (this.signal.aborted) return;
    this.#end();
    this.#socket.close(code, reason);
  }

  /** Closes normally when all has been taken. */
  async finish(): Promise<void> {
    if (this.signal.aborted) return;
    await this.#drained();
    this.close({ code: CLOSE.normal, reason: '' });
  }

  #end(): void {
    this.#idle?.cancel();
    this.#ended.abort();
  }

  #restartIdleTimer(): void {
    this.#idle?.cancel();
    this.#idle = this.#options.clock.after(this.#options.idleMs, () =>
      this.close({ code: CLOSE.normal, reason: 'nothing was said for a long time' }),
    );
  }

  /** Resolves when the network has taken the last message; hangs up when it takes nothing at all. */
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
    // A socket that is being closed still delivers what its client sends.
    if (this.signal.aborted || this.#socket.readyState !== this.#socket.OPEN) return;
    if (isBinary) {
      this.close({ code: CLOSE.binary, reason: 'messages are JSON text' });
      return;
    }
    this.#restartIdleTimer();
    // What the client sends on meanwhile stays with it.
    if (this.#queuedFrames++ === 0) this.#socket.pause();
    this.#handling = this.#handling.then(async () => {
      if (!this.signal.aborted) await this.#options.onFrame(data as Buffer);
      if (--this.#queuedFrames === 0) this.#socket.resume();
    });
  }
}
