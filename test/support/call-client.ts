import { WebSocket } from 'ws';
import type { ServerMessage } from '../../agents-runtime/transports/websocket/protocol.js';
import { SUBPROTOCOL } from '../../agents-runtime/transports/websocket/protocol.js';

const UP_RATE = 16_000;
const FRAME_MS = 20;

export interface ConnectionDetails {
  readonly server_url: string;
  readonly participant_token: string;
  readonly call_id: string;
  readonly end_token: string;
}

interface Timed {
  readonly atMs: number;
  readonly message: ServerMessage & { readonly seq: number };
}

/**
 * A caller without a browser, in real time: a microphone that sends silence or what it is told to
 * say, and a player with its own clock that keeps to the call socket's rules.
 */
export class CallClient {
  readonly messages: Timed[] = [];
  /** All samples that were heard, s16, in order, with the time each 20 ms were played. */
  readonly heard: Int16Array[] = [];
  readonly heardAt: number[] = [];
  closeCode: number | undefined;
  #socket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #speech: Int16Array | undefined;
  #spokenTo = 0;
  #received = new Int16Array(0);
  #base = 0;
  #at = 0;
  #isPaused = false;
  #rate = 24_000;
  #lastReport = -1;
  #resumeToken = '';
  #sent = 0;
  #startedAt = 0;
  #onSpoken: (() => void) | undefined;
  #isMuted = false;
  readonly #details: ConnectionDetails;

  constructor(details: ConnectionDetails) {
    this.#details = details;
  }

  /** Opens the socket and waits for `ready`. */
  async connect(options: { readonly resume?: boolean } = {}): Promise<void> {
    const socket = new WebSocket(this.#details.server_url, [SUBPROTOCOL]);
    this.#socket = socket;
    socket.on('message', (data, isBinary) => this.#onFrame(data as Buffer, isBinary));
    socket.on('close', (code) => {
      if (this.#socket === socket) this.closeCode = code;
    });
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    const hello = options.resume
      ? {
          type: 'hello',
          resumeToken: this.#resumeToken,
          receivedMs: this.#ms(this.#base + this.#received.length),
          lastSeq: this.messages.at(-1)?.message.seq ?? 0,
        }
      : { type: 'hello', token: this.#details.participant_token };
    const isReady = this.waitFor((message) => message.type === 'ready', { after: Date.now() });
    socket.send(JSON.stringify(hello));
    await isReady;
    if (this.#timer) return;
    this.#startedAt = performance.now();
    this.#timer = setInterval(() => this.#tick(), FRAME_MS);
  }

  /** Speaks (16 kHz, −1…1) in real time; resolves at its last sample. */
  say(samples: Float32Array): Promise<void> {
    this.#speech = Int16Array.from(samples, (sample) =>
      Math.max(-32768, Math.min(32767, Math.round(sample * 32768))),
    );
    this.#spokenTo = 0;
    return new Promise((resolve) => {
      this.#onSpoken = resolve;
    });
  }

  type(text: string): void {
    this.#socket?.send(JSON.stringify({ type: 'text', text }));
  }

  send(frame: string | Buffer): void {
    this.#socket?.send(frame);
  }

  /** Breaks the wire without a word. The microphone's audio is lost meanwhile. */
  drop(): void {
    this.#isMuted = true;
    this.#socket?.terminate();
  }

  async resume(): Promise<void> {
    await this.connect({ resume: true });
    this.#isMuted = false;
  }

  hangUp(): void {
    this.#socket?.send(JSON.stringify({ type: 'end' }));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#socket?.terminate();
  }

  /** The first message, among those to come and those since `after`, that fits. */
  async waitFor<T extends ServerMessage>(
    fits: (message: ServerMessage) => boolean,
    { after = 0, timeoutMs = 20_000 }: { after?: number; timeoutMs?: number } = {},
  ): Promise<T & { readonly seq: number }> {
    const until = Date.now() + timeoutMs;
    for (;;) {
      const found = this.messages.find(({ atMs, message }) => atMs >= after && fits(message));
      if (found) return found.message as T & { readonly seq: number };
      if (Date.now() > until) {
        const seen = this.messages.map(({ message }) => message.type).join(' ');
        throw new Error(`Nothing that fits came within ${timeoutMs} ms; came: ${seen}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** The agent's states in order, as shown. */
  get states(): string[] {
    return this.messages.flatMap(({ message }) =>
      message.type === 'state' ? [message.state] : [],
    );
  }

  /** Everything heard so far as samples in −1…1 at the voice's rate. */
  get heardSamples(): Float32Array {
    const all = new Float32Array(this.heard.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of this.heard) for (const sample of part) all[at++] = sample / 32768;
    return all;
  }

  get sampleRate(): number {
    return this.#rate;
  }

  #onFrame(data: Buffer, isBinary: boolean): void {
    if (isBinary) {
      const more = new Int16Array(this.#received.length + data.length / 2);
      more.set(this.#received);
      for (let i = 0; i < data.length / 2; i++) {
        more[this.#received.length + i] = data.readInt16LE(2 * i);
      }
      this.#received = more;
      return;
    }
    const message = JSON.parse(data.toString()) as Timed['message'];
    this.messages.push({ atMs: Date.now(), message });
    switch (message.type) {
      case 'ready':
        this.#resumeToken = message.resumeToken;
        this.#rate = message.audio.downSampleRate;
        this.#skipTo(message.positionMs);
        return;
      case 'pause':
        this.#isPaused = true;
        this.#report(true);
        return;
      case 'resume':
        this.#at = Math.round((message.fromMs * this.#rate) / 1000) - this.#base;
        this.#isPaused = false;
        return;
      case 'clear':
        this.#report(true);
        this.#base += this.#received.length;
        this.#received = new Int16Array(0);
        this.#at = 0;
        this.#isPaused = false;
    }
  }

  /** What comes next is at this position, whatever was lost on the way. */
  #skipTo(positionMs: number): void {
    const gap = Math.round((positionMs * this.#rate) / 1000) - this.#base - this.#received.length;
    if (gap > 0) {
      this.#base += this.#received.length + gap;
      this.#received = new Int16Array(0);
      this.#at = 0;
    }
  }

  #tick(): void {
    const passed = performance.now() - this.#startedAt;
    while (this.#sent * FRAME_MS < passed) this.#frame();
  }

  #frame(): void {
    this.#sent++;
    const frame = Buffer.alloc((UP_RATE * FRAME_MS * 2) / 1000);
    const speech = this.#speech;
    if (speech) {
      const part = speech.subarray(this.#spokenTo, this.#spokenTo + frame.length / 2);
      part.forEach((sample, i) => {
        frame.writeInt16LE(sample, 2 * i);
      });
      this.#spokenTo += frame.length / 2;
      if (this.#spokenTo >= speech.length) {
        this.#speech = undefined;
        this.#onSpoken?.();
      }
    }
    if (!this.#isMuted && this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(frame);
    this.#play();
  }

  #play(): void {
    if (this.#isPaused || this.#at >= this.#received.length) return;
    const end = Math.min(this.#received.length, this.#at + (this.#rate * FRAME_MS) / 1000);
    this.heard.push(this.#received.slice(this.#at, end));
    this.heardAt.push(Date.now());
    this.#at = end;
    this.#report(this.#sent % 5 === 0);
  }

  #report(isWanted: boolean): void {
    const position = this.#base + this.#at;
    if (!isWanted || position === this.#lastReport) return;
    this.#lastReport = position;
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#socket.send(JSON.stringify({ type: 'playout', playedMs: this.#ms(position) }));
  }

  #ms(samples: number): number {
    return (samples * 1000) / this.#rate;
  }
}
