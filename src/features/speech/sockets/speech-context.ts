import { linkedAbort } from '../../../../media/async/linked-abort.js';
import { ApiError } from '../../../platform/http/api-error.js';
import { encodeAudio } from './protocol.js';
import type { SocketWriter } from './socket-writer.js';
import type { SpeechWriter } from './speech-writer.js';
import type { TextBuffer } from './text-buffer.js';

/** Flushed texts that may wait for their turn. */
const MAX_WAITING = 32;

export interface SpeechContextOptions {
  readonly id: string;
  readonly socket: SocketWriter;
  readonly writer: SpeechWriter;
  readonly textBuffer: () => TextBuffer;
  /** Told of what ended the context; it has been told to nobody. */
  readonly onFault: (error: unknown) => void;
}

/** One context: its texts are spoken one after the other, each ended by a flush. */
export class SpeechContext {
  /** Closed by itself once what was flushed has been spoken. */
  isAutoClosed = false;
  /** Resolves when the client has been told that the context is closed. */
  readonly closed: Promise<void>;
  readonly #options: SpeechContextOptions;
  readonly #stop: AbortController;
  /** All but the last have been flushed; the first is being spoken. */
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

  /** The text so far is complete; another one may follow. @throws ApiError TEXT_TOO_LONG */
  flush(): void {
    if (this.#texts.length > MAX_WAITING) {
      throw new ApiError('TEXT_TOO_LONG', `More than ${MAX_WAITING} texts wait to be spoken`);
    }
    this.#texts.at(-1)!.end();
    this.#texts.push(this.#options.textBuffer());
  }

  /** Closes when what was flushed has been spoken. */
  finish(): void {
    this.#isEnding = true;
    if (this.#texts.length === 1) this.close();
  }

  /** Closes at once; whatever has not been sent is dropped. */
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
