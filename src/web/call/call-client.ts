import type { CallServerMessage } from '../../../agents-runtime/transports/websocket/protocol.js';

type Ready = Extract<CallServerMessage, { type: 'ready' }>;

const SUBPROTOCOL = 'parley.call.v1';
const UPSTREAM_BYTES_PER_SECOND = 32_000;
/** Frames of 20 ms that are buffered while the socket reconnects: as long as a call can be resumed. */
const MAX_WAITING = 500;
/** After five seconds without progress, a socket counts as lost. */
const STALLED_BYTES = 5 * UPSTREAM_BYTES_PER_SECOND;
/** Timeout of one connection attempt. */
const TRY_MS = 3_000;
/** Close codes after which reconnecting cannot succeed. Source: docs/reference/call-socket.md. */
const FINAL_CODES = [1007, 1008, 4409];

/** The used part of a browser's WebSocket. */
export interface BrowserSocket {
  binaryType: string;
  readonly bufferedAmount: number;
  send(data: string | ArrayBuffer): void;
  close(code?: number): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
}

/** How a call ended for its client. */
export type CallClientEnd =
  | { readonly type: 'ended'; readonly reason: string }
  /** The server refused the socket; `sentence` is its message. */
  | { readonly type: 'refused'; readonly sentence: string }
  /** The connection was lost and could not be restored. */
  | { readonly type: 'lost' };

interface CallLinkListener {
  /** The call started or resumed. */
  onReady(message: Ready): void;
  /** s16le samples of the agent. */
  onAudio(frame: ArrayBuffer): void;
  onMessage(message: CallServerMessage): void;
  /** The connection was lost; the client reconnects. */
  onAway(): void;
  /** Called once, as the last event. */
  onEnd(end: CallClientEnd): void;
}

export interface CallSocketClientOptions {
  readonly token: string;
  readonly open: (subprotocol: string) => BrowserSocket;
  readonly listener: CallLinkListener;
  /** Delay before the first reconnect, ms. It doubles. */
  readonly retryMs?: number;
  /** Time limit for resuming a call and for the first connection. */
  readonly giveUpMs?: number;
}

/** A call's connection. Reconnects while the server can resume the call. */
export class CallSocketClient {
  readonly #options: Required<CallSocketClientOptions>;
  readonly #waiting: ArrayBuffer[] = [];
  #socket: BrowserSocket | undefined;
  #ready: Ready | undefined;
  #isReady = false;
  #isOver = false;
  #lastSeq = 0;
  #receivedBytes = 0;
  #playedMs = 0;
  #retryMs = 0;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #tryTimer: ReturnType<typeof setTimeout> | undefined;
  #giveUpTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: CallSocketClientOptions) {
    this.#options = { retryMs: 250, giveUpMs: 10_000, ...options };
  }

  start(): void {
    this.#beginTrying();
    this.#connect();
  }

  /** Sends the caller's audio. While disconnected, buffers the newest ten seconds. */
  sendAudio(frame: ArrayBuffer): void {
    if (this.#isOver || !this.#ready) return;
    if (this.#isReady && this.#socket) {
      if (this.#socket.bufferedAmount > STALLED_BYTES) this.#lose(this.#socket);
      else this.#socket.send(frame);
      return;
    }
    this.#waiting.push(frame);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }

  sendPlayed(playedMs: number): void {
    this.#playedMs = playedMs;
    this.#send({ type: 'playout', playedMs });
  }

  /** Sends a text. @returns false while disconnected */
  sendText(text: string): boolean {
    return this.#send({ type: 'text', text });
  }

  /** Requests the end of the call; the server answers with `end`. @returns false while disconnected */
  sendEnd(): boolean {
    return this.#send({ type: 'end' });
  }

  /** Closes the connection at once. Idempotent. */
  finish(end: CallClientEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopTrying();
    this.#release();
    this.#options.listener.onEnd(end);
  }

  #send(message: object): boolean {
    if (!this.#isReady || !this.#socket) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  #connect(): void {
    const socket = this.#options.open(SUBPROTOCOL);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => socket.send(JSON.stringify(this.#hello()));
    socket.onmessage = ({ data }) => this.#take(data);
    socket.onclose = ({ code, reason }) => {
      if (FINAL_CODES.includes(code)) this.finish({ type: 'refused', sentence: reason });
      else this.#lose(socket);
    };
    this.#socket = socket;
    this.#tryTimer = setTimeout(() => this.#lose(socket), TRY_MS);
  }

  #hello(): object {
    if (!this.#ready) return { type: 'hello', token: this.#options.token };
    const { resumeToken, audio } = this.#ready;
    const receivedMs = (this.#receivedBytes * 1000) / (2 * audio.downSampleRate);
    return { type: 'hello', resumeToken, receivedMs, lastSeq: this.#lastSeq };
  }

  #take(data: unknown): void {
    if (data instanceof ArrayBuffer) {
      this.#receivedBytes += data.byteLength;
      this.#options.listener.onAudio(data);
      return;
    }
    const message = JSON.parse(String(data)) as CallServerMessage & { readonly seq: number };
    if (message.type === 'ready') {
      this.#onReady(message);
      return;
    }
    // `ready` has a number too, but messages from before it may still follow.
    this.#lastSeq = message.seq;
    if (message.type === 'end') this.finish({ type: 'ended', reason: message.reason });
    else this.#options.listener.onMessage(message);
  }

  #onReady(message: Ready): void {
    this.#stopTrying();
    const isAgain = this.#ready !== undefined;
    this.#ready = message;
    this.#isReady = true;
    this.#receivedBytes =
      Math.round((message.positionMs * message.audio.downSampleRate) / 1000) * 2;
    this.#options.listener.onReady(message);
    if (isAgain) this.sendPlayed(this.#playedMs);
    for (const frame of this.#waiting.splice(0)) this.#socket?.send(frame);
  }

  #lose(socket: BrowserSocket): void {
    if (this.#isOver || this.#socket !== socket) return;
    this.#release();
    clearTimeout(this.#tryTimer);
    if (this.#isReady) {
      this.#isReady = false;
      this.#beginTrying();
      this.#options.listener.onAway();
    }
    this.#retryTimer = setTimeout(() => this.#connect(), this.#retryMs);
    this.#retryMs = Math.min(2_000, this.#retryMs * 2);
  }

  #beginTrying(): void {
    this.#retryMs = this.#options.retryMs;
    this.#giveUpTimer = setTimeout(() => this.finish({ type: 'lost' }), this.#options.giveUpMs);
  }

  #stopTrying(): void {
    for (const timer of [this.#retryTimer, this.#tryTimer, this.#giveUpTimer]) clearTimeout(timer);
  }

  /** Detaches the socket and ignores its later events. */
  #release(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    if (!socket) return;
    socket.onopen = null;
    socket.onmessage = null;
    socket.onclose = null;
    socket.close(1000);
  }
}
