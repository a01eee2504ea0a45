import type { Logger } from 'pino';
import type { Clock } from '../../../../agents-runtime/contract/clock.js';
import type { SpeechService, SpeechVoiceSettings } from '../speech.service.js';
import { CLOSE, closeFrameOf } from './close-codes.js';
import type { FirstMessage, SocketMessages } from './protocol.js';
import type { SocketWriter } from './socket-writer.js';
import type { SpeechWriterParts } from './speech-writer.js';
import { TextBuffer } from './text-buffer.js';

/** What the sockets are made of. */
export interface SessionParts extends SpeechWriterParts {
  readonly clock: Clock;
  readonly speech: SpeechService;
  /** Longest text, in code points. */
  readonly textLimit: number;
}

export interface SessionOptions {
  readonly parts: SessionParts;
  readonly messages: SocketMessages;
  readonly socket: SocketWriter;
  readonly accountId: string;
  readonly log: Logger;
}

/** What one kind of socket does with its frames. */
export interface FrameHandler {
  /** Handles a frame before the next one is handed over. Throws for what ends the socket. */
  onFrame(frame: Buffer): Promise<void>;
  /** The socket has closed. */
  end(): void;
}

/** One open socket, as its protocol sees it. */
export class SpeechSocketSession {
  readonly parts: SessionParts;
  readonly messages: SocketMessages;
  readonly socket: SocketWriter;
  readonly accountId: string;
  readonly #log: Logger;

  constructor({ parts, messages, socket, accountId, log }: SessionOptions) {
    this.parts = parts;
    this.messages = messages;
    this.socket = socket;
    this.accountId = accountId;
    this.#log = log;
  }

  /** How texts are to sound. @throws ApiError for what cannot be had. */
  resolve(message: FirstMessage): Promise<SpeechVoiceSettings> {
    return this.parts.speech.resolveVoiceSettings(this.accountId, message);
  }

  textBuffer({ language }: SpeechVoiceSettings): TextBuffer {
    const { clock, textLimit: limit } = this.parts;
    return new TextBuffer({ clock, language, limit });
  }

  /** Lets work go on by itself; its fault closes the socket. */
  run(work: () => Promise<void>): void {
    work().catch((error: unknown) => this.fail(error));
  }

  /** Closes the socket with the code of a fault. */
  fail(error: unknown): void {
    // What was stopped because the socket closed is no fault.
    if (this.socket.signal.aborted) return;
    const closing = closeFrameOf(error);
    if (!closing) this.logFault(error);
    this.socket.close(
      closing ?? { code: CLOSE.internal, reason: 'something went wrong on our side' },
    );
  }

  /** Logs a fault of our own. */
  logFault(error: unknown): void {
    this.#log.error({ err: error }, 'speech socket failed');
  }
}
