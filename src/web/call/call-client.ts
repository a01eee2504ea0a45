import type { CallServerMessage } from '../../../agents-runtime/transports/websocket/protocol.js';

type Ready = Extract<CallServerMessage, { type: 'ready' }>;

const SUBPROTOCOL = 'parley.call.v1';
const UPSTREAM_BYTES_PER_SECOND = 32_000;
/** Frames of 20 ms that wait for a lost socket to come back: as long as a call may be taken up. */
const MAX_WAITING = 500;
/** A socket that takes nothing for five seconds is as good as lost. */
const STALLED_BYTES = 5 * UPSTREAM_BYTES_PER_SECOND;
/** One try to connect may take this long. */
const TRY_MS = 3_000;
/** Close codes after which trying again is no use. Source: docs/reference/call-socket.md. */
const FINAL_CODES = [1007, 1008, 4409];

/** What the link uses of a browser's WebSocket. */
export interface LinkSocket {
  binaryType: string;
  readonly bufferedAmount: number;
  send(data: string | ArrayBuffer): void;
  close(code?: number): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
}

/** How a call ended for its client. */
export type LinkEnd =
  | { readonly type: 'ended'; readonly reason: string }
  /** The server does not want this socket; `sentence` is its own. */
  | { readonly type: 'refused'; readonly sentence: string }
  /** The connection broke and did not come back. */
  | { readonly type: 'lost' };

interface CallLinkListener {
  /** The call began, or goes on after the connection broke. */
  onReady(message: Ready): void;
  /** s16le samples of the agent. */
  onAudio(frame: ArrayBuffer): void;
  onMessage(message: CallServerMessage): void;
  /** The connection broke; it is tried again. */
  onAway(): void;
  /** Told once, last. */
  onEnd(end: LinkEnd): void;
}

export interface CallSocketClientOptions {
  readonly token: string;
  readonly open: (subprotocol: string) => LinkSocket;
  readonly listener: CallLinkListener;
  /** The first wait before another try; it doubles. */
  readonly retryMs?: number;
  /** How long a broken call can be taken up, and a first connection be tried for. */
  readonly giveUpMs?: number;
}

/** A call's connection: one WebSocket after another, as long as the server can take the call up. */
export class CallSocketClient {
  readonly #options: Required<CallSocketClientOptions>;
  readonly #waiting: ArrayBuffer[] = [];
  #socket: LinkSocket | undefined;
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

  /** Sends the caller's audio; while the connection is away the newest ten seconds are kept. */
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

  /** Whether it could be sent: not while the connection is away. */
  sendText(text: string): boolean {
    return this.#send({ type: 'text', text });
  }

  /** Asks the server to end the call; it answers with `end`. False while the connection is away. */
  sendEnd(): boolean {
    return this.#send({ type: 'end' });
  }

  /** Ends the link at once, as seen from here; idempotent. */
  finish(end: LinkEnd): void {
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

  #lose(socket: LinkSocket): void {
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

  /** Lets go of the socket, whose later events no longer count. */
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
