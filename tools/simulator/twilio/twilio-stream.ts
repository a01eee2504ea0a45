import { randomBytes } from 'node:crypto';
import { type RawData, WebSocket } from 'ws';
import { decodeMulaw, encodeMulaw } from '../../../media/codec/g711.js';
import type { ProtocolViolations } from '../protocol-violations.js';
import { SimulateError } from '../simulate-error.js';
import { MAX_LEAD_MS, type SimulatedLeg } from '../simulated-leg.js';
import { PROTOCOL_ERROR, readTwilioCommand, TwilioMessages } from './twilio-messages.js';

/** 20 ms of μ-law at 8 kHz. */
const FRAME_BYTES = 160;
/** For the difference between the gateway's clock and this one. */
const LEAD_TOLERANCE_MS = 40;
/** After this time, a stopped stream is terminated. */
const CLOSE_WITHIN_MS = 2_000;

export interface TwilioStreamOptions {
  readonly url: string;
  readonly signature: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly accountSid: string;
  readonly callSid: string;
  readonly line: SimulatedLeg;
  readonly faults: ProtocolViolations;
}

/** The carrier's end of one media stream. */
export class TwilioStream {
  readonly streamSid = `MZ${randomBytes(16).toString('hex')}`;
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>;
  readonly #options: TwilioStreamOptions;
  readonly #messages: TwilioMessages;
  readonly #socket: WebSocket;
  readonly #mulaw = new Uint8Array(FRAME_BYTES);
  #sentMs = 0;
  #isStopped = false;
  #isBroken = false;

  constructor(options: TwilioStreamOptions) {
    this.#options = options;
    const { url, signature, accountSid, callSid } = options;
    this.#messages = new TwilioMessages({ accountSid, callSid, streamSid: this.streamSid });
    this.#socket = new WebSocket(url, {
      perMessageDeflate: false,
      headers: { 'x-twilio-signature': signature },
    });
    this.#socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary));
    this.closed = new Promise((resolve) => {
      this.#socket.on('close', resolve);
    });
  }

  /** Whether the gateway sent a message that ends a stream at Twilio. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** @throws SimulateError if the gateway refuses the socket */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const failed = (why: string) => {
        const sentence = `The gateway refused the media stream: ${why} (31920)`;
        const hint = 'if PUBLIC_URL of the gateway is set, --public-url must be the same';
        reject(new SimulateError(`${sentence}; ${hint}`));
      };
      this.#socket.on('error', ({ message }) => failed(message));
      this.#socket.on('open', () => {
        this.#socket.send(this.#messages.connected());
        this.#socket.send(this.#messages.start(this.#options.parameters));
        resolve();
      });
    });
  }

  sendFrame(frame: Int16Array): void {
    encodeMulaw(frame, this.#mulaw);
    this.#sentMs += 20;
    this.#send(this.#messages.media(this.#mulaw, this.#sentMs));
  }

  sendMark(name: string): void {
    this.#send(this.#messages.mark(name));
  }

  sendDigit(digit: string): void {
    this.#send(this.#messages.dtmf(digit));
  }

  /** Ends the stream. */
  stop(): void {
    if (this.#isStopped) return;
    this.#send(this.#messages.stop());
    this.#isStopped = true;
    this.#socket.close();
    setTimeout(() => this.#socket.terminate(), CLOSE_WITHIN_MS).unref();
  }

  #send(text: string): void {
    if (!this.#isStopped && this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    if (this.#isStopped) return;
    if (isBinary) {
      this.#endBroken('a message is binary');
      return;
    }
    const read = readTwilioCommand(String(data), this.streamSid);
    if (read.type === 'refused') {
      this.#endBroken(read.what);
      return;
    }
    const { line } = this.#options;
    const { command } = read;
    if (command.type === 'clear') line.clear();
    else if (command.type === 'mark') line.mark(command.name);
    else this.#play(command.bytes);
  }

  #play(bytes: Buffer): void {
    const { line, faults } = this.#options;
    if (bytes.length % FRAME_BYTES !== 0) {
      faults.add(
        'partial-frame',
        `media of ${bytes.length} bytes is not a whole number of frames`,
        line.atMs,
      );
    }
    const pcm = new Int16Array(bytes.length);
    decodeMulaw(bytes, pcm);
    line.play(pcm);
    if (line.waitingMs > MAX_LEAD_MS + LEAD_TOLERANCE_MS) {
      faults.add('lead', `more than ${MAX_LEAD_MS} ms were sent ahead`, line.atMs);
    }
  }

  #endBroken(what: string): void {
    const { line, faults } = this.#options;
    faults.add(PROTOCOL_ERROR, what, line.atMs);
    this.#isBroken = true;
    this.stop();
  }
}
