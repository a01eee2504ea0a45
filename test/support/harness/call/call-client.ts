import { WebSocket } from 'ws';
import {
  type CallServerMessage,
  SUBPROTOCOL,
  serialisePcm,
  TOKEN_SUBPROTOCOL,
} from '../../../../agents-runtime/transports/websocket/protocol.js';
import { OpusDecoder } from '../../../../media/codec/libopus.js';
import { isOpusRate, OpusPacketEncoder } from '../../../../media/codec/opus-packets.js';
import { CallPlayer } from './client-player.js';

const UP_RATE = 16_000;
const FRAME_MS = 20;
const FRAME_LENGTH = (UP_RATE * FRAME_MS) / 1000;
/** The playhead is reported after every fifth frame. */
const REPORT_FRAMES = 5;

export interface ConnectionDetails {
  readonly server_url: string;
  readonly participant_token: string;
  readonly call_id: string;
  readonly end_token: string;
}

export interface CallClientOptions {
  /** Encoding of each direction. Default: PCM. */
  readonly audio?: { readonly up?: 'pcm' | 'opus'; readonly down?: 'pcm' | 'opus' };
  /** Send the token as a subprotocol instead of in `hello`. */
  readonly tokenAsSubprotocol?: boolean;
}

type Numbered = CallServerMessage & { readonly seq: number };

/** A message and its time of arrival in ms since the epoch. */
export interface Timed {
  readonly atMs: number;
  readonly message: Numbered;
}

/**
 * A real-time caller without a browser. Its microphone sends silence or speech, and its player
 * follows the call socket protocol by its own clock.
 */
export class CallClient {
  readonly messages: Timed[] = [];
  readonly player = new CallPlayer();
  closeCode: number | undefined;
  closeReason = '';
  /** Start and end of the last speech sent, in ms since the epoch. */
  speechStartedAt = 0;
  speechEndedAt = 0;
  readonly #details: ConnectionDetails;
  readonly #options: CallClientOptions;
  #socket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #speech: Float32Array | undefined;
  #spokenTo = 0;
  #onSpoken: (() => void) | undefined;
  #isMuted = false;
  #resumeToken = '';
  #frames = 0;
  #startedAt = 0;
  #encoder: OpusPacketEncoder | undefined;
  #decoder: OpusDecoder | undefined;

  constructor(details: ConnectionDetails, options: CallClientOptions = {}) {
    this.#details = details;
    this.#options = options;
  }

  /** Opens the socket and waits for `ready`; then starts microphone and player. */
  async connect(): Promise<void> {
    const isApart = this.#options.tokenAsSubprotocol;
    const token = this.#details.participant_token;
    await this.#open(isApart ? [SUBPROTOCOL, TOKEN_SUBPROTOCOL + token] : [SUBPROTOCOL]);
    const { audio } = this.#options;
    await this.#hello({ ...(!isApart && { token }), ...(audio && { audio }) });
    this.#startedAt = performance.now();
    this.#timer = setInterval(() => this.#tick(), FRAME_MS);
  }

  /** Sends speech (16 kHz, −1…1) in real time; resolves after its last sample. */
  say(samples: Float32Array): Promise<void> {
    this.#speech = samples;
    this.#spokenTo = 0;
    return new Promise((resolve) => {
      this.#onSpoken = resolve;
    });
  }

  type(text: string): void {
    this.send(JSON.stringify({ type: 'text', text }));
  }

  send(frame: string | Buffer): void {
    this.#socket?.send(frame);
  }

  /** Stops sending audio, including silence, or resumes it. */
  mute(isMuted: boolean): void {
    this.#isMuted = isMuted;
  }

  /** Stops reading from the socket, so that the server's buffers fill. */
  stopReading(): void {
    this.#socket?.pause();
  }

  /** Terminates the connection without a close frame. Microphone audio is lost until `resume`. */
  drop(): void {
    this.#isMuted = true;
    this.#socket?.terminate();
  }

  /** Reconnects and resumes the call. @param origin another gateway, `http://host:port` */
  async resume(origin?: string): Promise<void> {
    await this.#open([SUBPROTOCOL], origin);
    await this.#hello({
      resumeToken: this.#resumeToken,
      receivedMs: this.player.receivedMs,
      lastSeq: this.lastSeq,
    });
    this.#isMuted = false;
  }

  hangUp(): void {
    this.send(JSON.stringify({ type: 'end' }));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#socket?.terminate();
    this.#encoder?.close();
    this.#decoder?.close();
    this.#encoder = undefined;
    this.#decoder = undefined;
  }

  /**
   * Waits for the first message of a type that `fits` accepts and whose number is above `after`.
   */
  async waitFor<Type extends CallServerMessage['type']>(
    type: Type,
    fits: (message: Extract<Numbered, { type: Type }>) => boolean = () => true,
    { after = 0, timeoutMs = 30_000 }: { after?: number; timeoutMs?: number } = {},
  ): Promise<Extract<Numbered, { type: Type }> & { readonly atMs: number }> {
    const until = Date.now() + timeoutMs;
    for (;;) {
      for (const { atMs, message } of this.messages) {
        if (message.seq <= after || message.type !== type) continue;
        const wanted = message as Extract<Numbered, { type: Type }>;
        if (fits(wanted)) return { ...wanted, atMs };
      }
      if (Date.now() > until) {
        const seen = this.messages.map(({ message }) => JSON.stringify(message)).join('\n');
        throw new Error(`No matching ${type} within ${timeoutMs} ms; received:\n${seen}`);
      }
      await pause(10);
    }
  }

  /** Waits for a `state` message with a number above `after`. */
  state(state: string, after = 0) {
    return this.waitFor('state', (message) => message.state === state, { after });
  }

  /** Waits for the next final transcript of a role. */
  final(role: 'user' | 'agent', after = 0) {
    const fits = (said: { role: string; final: boolean; text: string }) =>
      said.role === role && said.final && said.text !== '';
    return this.waitFor('transcript', fits, { after });
  }

  /** Sequence number of the newest message. */
  get lastSeq(): number {
    return this.messages.reduce((newest, { message }) => Math.max(newest, message.seq), 0);
  }

  /** Waits until the server closes the socket. @returns the close code */
  async closed(timeoutMs = 30_000): Promise<number> {
    const until = Date.now() + timeoutMs;
    while (this.closeCode === undefined) {
      if (Date.now() > until) throw new Error(`The socket did not close within ${timeoutMs} ms`);
      await pause(10);
    }
    return this.closeCode;
  }

  /**
   * Waits until all received audio has been played. On a busy machine the server may report
   * `listening` before the local player has finished.
   */
  async playedOut(timeoutMs = 30_000): Promise<void> {
    const until = Date.now() + timeoutMs;
    while (!this.player.isAtEnd) {
      if (Date.now() > until) throw new Error(`The playout did not end within ${timeoutMs} ms`);
      await pause(10);
    }
  }

  /** The agent's states in order. */
  get states(): string[] {
    return this.messages.flatMap(({ message }) =>
      message.type === 'state' ? [message.state] : [],
    );
  }

  /** Final transcripts of both sides with text, as `role: text`. */
  get finals(): string[] {
    return this.messages.flatMap(({ message }) =>
      message.type === 'transcript' && message.final && message.text
        ? [`${message.role}: ${message.text}`]
        : [],
    );
  }

  async #open(protocols: string[], origin?: string): Promise<void> {
    const url = new URL(this.#details.server_url);
    if (origin) url.host = new URL(origin).host;
    const socket = new WebSocket(url, protocols);
    this.#socket = socket;
    this.closeCode = undefined;
    socket.on('message', (data, isBinary) => this.#onFrame(data as Buffer, isBinary));
    socket.on('error', () => undefined);
    socket.on('close', (code, reason) => {
      if (this.#socket !== socket) return;
      this.closeCode = code;
      this.closeReason = reason.toString();
    });
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
  }

  async #hello(hello: Readonly<Record<string, unknown>>): Promise<void> {
    const after = this.messages.length;
    this.send(JSON.stringify({ type: 'hello', ...hello }));
    const until = Date.now() + 30_000;
    while (!this.messages.slice(after).some(({ message }) => message.type === 'ready')) {
      if (this.closeCode !== undefined) {
        throw new Error(`Closed with ${this.closeCode}: ${this.closeReason}`);
      }
      if (Date.now() > until) throw new Error('The server did not send ready within 30 s');
      await pause(2);
    }
  }

  #onFrame(data: Buffer, isBinary: boolean): void {
    if (isBinary) {
      const samples = this.#decoder
        ? this.#decoder.decode(data)
        : Int16Array.from({ length: data.length / 2 }, (_, i) => data.readInt16LE(2 * i));
      this.player.receive(samples);
      return;
    }
    const message = JSON.parse(data.toString()) as Numbered;
    this.messages.push({ atMs: Date.now(), message });
    if (message.type === 'ready') this.#onReady(message);
    if (message.type === 'pause') {
      this.player.pause();
      this.#report();
    }
    if (message.type === 'resume') this.player.resume(message.fromMs);
    if (message.type === 'clear') {
      this.#report();
      this.player.clear();
    }
  }

  #onReady({
    resumeToken,
    positionMs,
    audio,
  }: Extract<CallServerMessage, { type: 'ready' }>): void {
    this.#resumeToken = resumeToken;
    this.player.rate = audio.downSampleRate;
    const { up, down, upSampleRate, downSampleRate } = audio;
    if (up === 'opus' && isOpusRate(upSampleRate)) {
      this.#encoder ??= new OpusPacketEncoder(upSampleRate);
    }
    if (down === 'opus' && isOpusRate(downSampleRate)) {
      this.#decoder ??= new OpusDecoder(downSampleRate);
    }
    this.player.skipTo(positionMs);
  }

  #tick(): void {
    const passed = performance.now() - this.#startedAt;
    while (this.#frames * FRAME_MS < passed) this.#frame();
  }

  #frame(): void {
    this.#frames++;
    const frame = new Float32Array(FRAME_LENGTH);
    const speech = this.#speech;
    if (speech) {
      if (this.#spokenTo === 0) this.speechStartedAt = Date.now();
      frame.set(speech.subarray(this.#spokenTo, this.#spokenTo + FRAME_LENGTH));
      this.#spokenTo += FRAME_LENGTH;
      if (this.#spokenTo >= speech.length) {
        this.#speech = undefined;
        this.speechEndedAt = Date.now();
        this.#onSpoken?.();
      }
    }
    if (!this.#isMuted && this.#socket?.readyState === WebSocket.OPEN) {
      this.#socket.send(this.#encoder ? this.#encoder.encode(frame) : serialisePcm(frame));
    }
    const hasPlayed = this.player.play(FRAME_MS);
    if (hasPlayed && this.#frames % REPORT_FRAMES === 0) this.#report();
  }

  /**
   * Sends the playhead even if it has not changed, because the server may have acted in the
   * meantime.
   */
  #report(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    const { playedMs } = this.player;
    this.#socket.send(JSON.stringify({ type: 'playout', playedMs }));
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
