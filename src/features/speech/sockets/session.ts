import type { Logger } from 'pino';
import type { Clock } from '../../../../agents-runtime/contract/clock.js';
import { CLOSE_CODES } from '../../../platform/http/close-codes.js';
import type { SpeechService, SpeechVoiceSettings } from '../speech.service.js';
import { closeFrameOf } from './close-frame.js';
import type { FirstMessage, SocketMessages } from './protocol.js';
import type { SocketWriter } from './socket-writer.js';
import type { SpeechWriterParts } from './speech-writer.js';
import { TextBuffer } from './text-buffer.js';

/** The dependencies of a session. */
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

/** Handles the frames of one kind of socket. */
export interface FrameHandler {
  /** Handles a frame. An error closes the socket. */
  onFrame(frame: Buffer): Promise<void>;
  /** Called when the socket has closed. */
  end(): void;
}

/** One open socket with its account and limits. */
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

  /** @throws ApiError for an unavailable voice, model or dictionary */
  resolve(message: FirstMessage): Promise<SpeechVoiceSettings> {
    return this.parts.speech.resolveVoiceSettings(this.accountId, message);
  }

  textBuffer({ language }: SpeechVoiceSettings): TextBuffer {
    const { clock, textLimit: limit } = this.parts;
    return new TextBuffer({ clock, language, limit });
  }

  /** Runs work in the background. An error closes the socket. */
  run(work: () => Promise<void>): void {
    work().catch((error: unknown) => this.fail(error));
  }

  /** Closes the socket with the code of a fault. */
  fail(error: unknown): void {
    // Aborted work of a closed socket is not an error.
    if (this.socket.signal.aborted) return;
    const closing = closeFrameOf(error);
    if (!closing) this.logFault(error);
    this.socket.close(
      closing ?? { code: CLOSE_CODES.internalError, reason: 'something went wrong on our side' },
    );
  }

  /** Logs an internal error. */
  logFault(error: unknown): void {
    this.#log.error({ err: error }, 'Error in a speech socket');
  }
}
