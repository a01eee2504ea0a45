import type { RawData, WebSocket } from 'ws';
import { CALLER_SAMPLE_RATE } from '../../../media/audio/pcm.js';
import { OpusDecoder } from '../../../media/codec/libopus.js';
import { isOpusRate, OpusPacketEncoder } from '../../../media/codec/opus-packets.js';
import { MediaError } from '../../../media/errors.js';
import type { Clock } from '../../contract/clock.js';
import { CallError } from '../../contract/errors.js';
import type { CallEvent, CallInput, Transport } from '../../contract/transport.js';
import { FaultBoundary } from '../../timing/fault-boundary.js';
import { FRAME_MS } from '../../timing/frame-ticker.js';
import { MAX_BACKLOG_BYTES } from '../backlog.js';
import { MAX_TEXTS, TEXT_WINDOW_MS, TextRateLimit } from '../text-rate-limit.js';
import { SocketHeartbeat } from './heartbeat.js';
import {
  type CallServerMessage,
  type ClientMessage,
  type Hello,
  parseClientMessage,
  parsePcm,
  serialisePcm,
  serialiseServerMessage,
} from './protocol.js';

/** Messages that are kept for a client that resumes. */
const MAX_KEPT_MESSAGES = 200;

/** Close codes of the call socket. Source: RFC 6455, section 7.4.1; 4xxx are private. */
export const CALL_CLOSE_CODES = {
  normal: 1000,
  invalidData: 1007,
  policyViolation: 1008,
  internalError: 1011,
  replaced: 4409,
} as const;

export interface WebSocketTransportOptions {
  readonly clock: Clock;
  readonly callId: string;
  readonly resumeToken: string;
  /** Hz of the agent's audio: the voice's rate. */
  readonly sampleRate: number;
  /** Encodings that the first `hello` requests. `down` is PCM if Opus does not support the voice's rate. */
  readonly audio: Hello['audio'];
  /** Receives exceptions of this transport, which end the call. */
  readonly onFault?: (error: unknown) => void;
}

/** The transport of a browser call: one WebSocket at a time, and another one when the first is closed. */
export class WebSocketTransport implements Transport {
  readonly sampleRate: number;
  readonly hasEchoCanceller = true;
  readonly canPause = true;
  readonly callerDelayMs = 0;
  readonly #options: WebSocketTransportOptions;
  readonly #boundary = new FaultBoundary({
    report: (error) => this.#options.onFault?.(error),
    end: () => this.#call?.hangUp('error_transport'),
  });
  readonly #clock: Clock;
  readonly #textRateLimit: TextRateLimit;
  readonly #down: 'pcm' | 'opus';
  readonly #encoder: OpusPacketEncoder | undefined;
  readonly #decoder: OpusDecoder | undefined;
  readonly #kept: { readonly seq: number; readonly text: string }[] = [];
  #call: CallInput | undefined;
  #socket: WebSocket | undefined;
  #heartbeat: SocketHeartbeat | undefined;
  #seq = 0;
  #isClosed = false;

  constructor(options: WebSocketTransportOptions) {
    this.#options = options;
    this.#clock = this.#boundary.clock(options.clock);
    this.#textRateLimit = new TextRateLimit(this.#clock);
    this.sampleRate = options.sampleRate;
    this.#down = options.audio.down === 'opus' && isOpusRate(options.sampleRate) ? 'opus' : 'pcm';
    if (this.#down === 'opus' && isOpusRate(options.sampleRate)) {
      this.#encoder = new OpusPacketEncoder(options.sampleRate);
    }
    if (options.audio.up === 'opus') this.#decoder = new OpusDecoder(CALLER_SAMPLE_RATE);
  }

  get backlogBytes(): number {
    return this.#socket?.bufferedAmount ?? 0;
  }

  /** Connects the transport to its call. */
  start(call: CallInput, socket: WebSocket): void {
    this.#call = call;
    this.#listen(socket);
    this.#sendReady(0);
    call.connected();
  }

  /** Continues over a new socket. An older one that is still open is closed. */
  resume(socket: WebSocket, hello: Hello): void {
    this.#socket?.close(CALL_CLOSE_CODES.replaced, 'The call goes on over another socket');
    this.#listen(socket);
    this.#call?.regained(hello.receivedMs ?? 0, (fromMs) => {
      // Repeats the client's `seq`: if this socket breaks, too, the next resume loses nothing.
      this.#sendReady(fromMs, hello.lastSeq ?? 0);
      for (const { seq, text } of this.#kept) {
        if (seq > (hello.lastSeq ?? 0)) socket.send(text);
      }
    });
  }

  sendAudio(samples: Float32Array): void {
    const { bufferedAmount } = this.#socket ?? { bufferedAmount: 0 };
    if (bufferedAmount > MAX_BACKLOG_BYTES) {
      this.#socket?.terminate();
      return;
    }
    if (!this.#encoder) {
      this.#socket?.send(serialisePcm(samples));
      return;
    }
    const frameLength = (this.sampleRate * FRAME_MS) / 1000;
    for (let at = 0; at < samples.length; at += frameLength) {
      this.#socket?.send(this.#encoder.encode(samples.subarray(at, at + frameLength)));
    }
  }

  pause(): void {
    this.#send({ type: 'pause' });
  }

  resumeFrom(fromMs: number): void {
    this.#send({ type: 'resume', fromMs });
  }

  clear(): void {
    this.#send({ type: 'clear' });
  }

  send(event: CallEvent): void {
    this.#send(event);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#heartbeat?.close();
    this.#socket?.close(CALL_CLOSE_CODES.normal);
    this.#socket = undefined;
    this.#encoder?.close();
    this.#decoder?.close();
  }

  #listen(socket: WebSocket): void {
    this.#socket = socket;
    this.#heartbeat?.close();
    const heartbeat = new SocketHeartbeat(socket, this.#clock);
    this.#heartbeat = heartbeat;
    const onMessage = this.#boundary.guard((data: RawData, isBinary: boolean) => {
      heartbeat.active();
      this.#onFrame(socket, data, isBinary);
    });
    socket.on('message', onMessage);
    const onLost = this.#boundary.guard(() => {
      heartbeat.close();
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#call?.lost();
    });
    // After a protocol error, `ws` sends the close code, discards further input and gives up after 30 s. A client
    // that is terminated while it sends does not receive the code.
    socket.on('error', onLost);
    socket.on('close', onLost);
  }

  #sendReady(positionMs: number, seq?: number): void {
    const { callId, resumeToken, sampleRate, audio } = this.#options;
    const ready: CallServerMessage = {
      type: 'ready',
      callId,
      resumeToken,
      positionMs,
      audio: {
        up: audio.up,
        upSampleRate: CALLER_SAMPLE_RATE,
        down: this.#down,
        downSampleRate: sampleRate,
      },
    };
    if (seq === undefined) this.#send(ready);
    else this.#socket?.send(serialiseServerMessage(ready, seq));
  }

  #send(message: CallServerMessage): void {
    if (this.#isClosed) return;
    const seq = ++this.#seq;
    const text = serialiseServerMessage(message, seq);
    // `ready` belongs to one socket, and the messages that control the client's buffer expire.
    if (!['ready', 'pause', 'resume', 'clear'].includes(message.type)) {
      this.#kept.push({ seq, text });
      if (this.#kept.length > MAX_KEPT_MESSAGES) this.#kept.shift();
    }
    this.#socket?.send(text);
  }

  #onFrame(socket: WebSocket, data: RawData, isBinary: boolean): void {
    if (this.#isClosed || this.#socket !== socket) return;
    try {
      if (isBinary) this.#onAudio(data as Buffer);
      else this.#onMessage(parseClientMessage(data.toString()));
    } catch (error) {
      if (!(error instanceof CallError) && !(error instanceof MediaError)) throw error;
      // The call can continue over another socket.
      this.#send({ type: 'error', code: 'PROTOCOL', message: error.message });
      socket.close(CALL_CLOSE_CODES.invalidData, error.message.slice(0, 100));
    }
  }

  #onAudio(frame: Buffer): void {
    if (frame.length === 0) return;
    this.#call?.audio(this.#decoder ? this.#decoder.decode(frame) : parsePcm(frame));
  }

  #onMessage(message: ClientMessage): void {
    switch (message.type) {
      case 'playout':
        this.#call?.played(message.playedMs);
        return;
      case 'text':
        if (!this.#textRateLimit.accept()) {
          const message = `At most ${MAX_TEXTS} texts in ${TEXT_WINDOW_MS / 1000} s`;
          throw new CallError('PROTOCOL', message);
        }
        this.#call?.typed(message.text);
        return;
      case 'end':
        this.#call?.hangUp('user_hangup');
        return;
      case 'hello':
        throw new CallError('PROTOCOL', 'hello comes once, as the first message');
    }
  }
}
