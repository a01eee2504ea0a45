import { linkedAbort } from '../../../../media/async/linked-abort.js';
import { ApiError } from '../../../platform/http/api-error.js';
import { encodeAudio } from './protocol.js';
import type { SocketWriter } from './socket-writer.js';
import type { SpeechWriter } from './speech-writer.js';
import type { TextBuffer } from './text-buffer.js';

/** Flushed texts that may be queued. */
const MAX_WAITING = 32;

export interface SpeechContextOptions {
  readonly id: string;
  readonly socket: SocketWriter;
  readonly writer: SpeechWriter;
  readonly textBuffer: () => TextBuffer;
  /** Called with the error that ended the context. The client has not received it. */
  readonly onFault: (error: unknown) => void;
}

/** One context: speaks its texts one after the other. A flush ends a text. */
export class SpeechContext {
  /** Whether the context closes after its flushed texts have been spoken. */
  isAutoClosed = false;
  /** Resolves after `context_closed` was sent. */
  readonly closed: Promise<void>;
  readonly #options: SpeechContextOptions;
  readonly #stop: AbortController;
  /** The first is being spoken; all but the last are flushed. */
  readonly #texts: TextBuffer[];
  #isEnding = false;

  constructor(options: SpeechContextOptions) {
    this.#options = options;
    this.#stop = linkedAbort(options.socket.signal);
    this.#texts = [options.textBuffer()];
    this.closed = this.#run();
  }

  /** @throws ApiError TEXT_TOO_LONG */
  add(text: string): void {
    this.#texts.at(-1)!.add(text);
  }

  /** Ends the current text. @throws ApiError TEXT_TOO_LONG */
  flush(): void {
    if (this.#texts.length > MAX_WAITING) {
      throw new ApiError('TEXT_TOO_LONG', `More than ${MAX_WAITING} texts wait to be spoken`);
    }
    this.#texts.at(-1)!.end();
    this.#texts.push(this.#options.textBuffer());
  }

  /** Closes after the flushed texts have been spoken. */
  finish(): void {
    this.#isEnding = true;
    if (this.#texts.length === 1) this.close();
  }

  /** Closes at once and drops unsent audio. */
  close(): void {
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    const { id, socket, onFault } = this.#options;
    try {
      await this.#speakAll();
    } catch (error) {
      if (!this.#stop.signal.aborted) onFault(error);
    } finally {
      this.#stop.abort();
      for (const text of this.#texts) text.end();
    }
    await socket.send({ context_closed: true, context_id: id });
  }

  async #speakAll(): Promise<void> {
    const { id, socket, writer } = this.#options;
    const write = (audio: Uint8Array) => socket.send({ audio: encodeAudio(audio), context_id: id });
    while (!this.#stop.signal.aborted) {
      await writer.speak(this.#texts[0]!.feed, write, this.#stop.signal);
      this.#texts.shift();
      await socket.send({ is_last: true, context_id: id });
      if ((this.#isEnding || this.isAutoClosed) && this.#texts.length === 1) return;
    }
  }
}
