import { randomUUID } from 'node:crypto';
import { ApiError } from '../../../platform/http/api-error.js';
import type { SpeechVoiceSettings } from '../speech.service.js';
import { type ContextMessage, type FirstContextMessage, readMessage } from './protocol.js';
import type { FrameHandler, SpeechSocketSession } from './session.js';
import { SpeechContext } from './speech-context.js';
import { SpeechWriter } from './speech-writer.js';

/** Open contexts per socket. */
const MAX_CONTEXTS = 20;
/** Closed contexts that are remembered, to refuse late text for them. */
const MAX_CLOSED_IDS = 1_000;
/** Errors that end one context but not the socket. */
const TRANSIENT_ERRORS: readonly string[] = ['OVERLOADED', 'RATE_LIMITED'];

/** The voice of all contexts of a socket, set by its first message. */
interface SocketVoice {
  readonly settings: SpeechVoiceSettings;
  readonly writer: SpeechWriter;
}

/** `/tts/multi-stream`: many contexts with the voice settings of the first message. */
export class MultiContextSession implements FrameHandler {
  readonly #session: SpeechSocketSession;
  readonly #contexts = new Map<string, SpeechContext>();
  readonly #closedIds = new Set<string>();
  #voice: SocketVoice | undefined;
  #isClosing = false;

  constructor(session: SpeechSocketSession) {
    this.#session = session;
  }

  async onFrame(frame: Buffer): Promise<void> {
    const { first, later } = this.#session.messages.multi;
    if (this.#voice) this.#onMessage(this.#voice, readMessage(later, frame));
    else await this.#begin(readMessage(first, frame));
  }

  end(): void {
    // The contexts end with the socket's signal.
  }

  async #begin(message: FirstContextMessage): Promise<void> {
    const { accountId, parts } = this.#session;
    const id = message.context_id ?? randomUUID();
    try {
      const settings = await this.#session.resolve(message);
      const deliveryMode = message.delivery_mode ?? 'raw';
      const writer = new SpeechWriter(parts, { accountId, settings, deliveryMode });
      this.#voice = { settings, writer };
    } catch (error) {
      this.#sendErrorOf(error, message.context_id ?? undefined);
      throw error;
    }
    this.#apply(this.#voice, id, message);
  }

  #onMessage(voice: SocketVoice, message: ContextMessage): void {
    if (this.#isClosing) return;
    const id = message.context_id ?? this.#onlyId();
    if (id !== undefined) this.#apply(voice, id, message);
    else if (!message.close_socket) {
      this.#sendError(`context_id is missing, and ${this.#contexts.size} contexts are open`);
    }
    if (message.close_socket) this.#session.run(() => this.#close());
  }

  #onlyId(): string | undefined {
    return this.#contexts.size === 1 ? [...this.#contexts.keys()][0] : undefined;
  }

  #apply(voice: SocketVoice, id: string, message: ContextMessage): void {
    const context = this.#contexts.get(id) ?? this.#open(voice, id, message);
    if (!context) return;
    try {
      if (message.auto_close != null) context.isAutoClosed = message.auto_close;
      if (message.text) context.add(message.text);
      if (message.flush) context.flush();
    } catch (error) {
      this.#sendErrorOf(error, id);
      throw error;
    }
    if (!message.close_context) return;
    if (message.flush) context.finish();
    else context.close();
  }

  #open(voice: SocketVoice, id: string, message: ContextMessage): SpeechContext | undefined {
    const refusal = this.#refusalReason(id, message);
    if (refusal !== undefined) {
      this.#sendError(refusal, id);
      return undefined;
    }
    const context = new SpeechContext({
      id,
      socket: this.#session.socket,
      writer: voice.writer,
      textBuffer: () => this.#session.textBuffer(voice.settings),
      onFault: (error) => this.#onFault(error, id),
    });
    this.#contexts.set(id, context);
    this.#session.run(async () => {
      await context.closed;
      this.#forget(id);
    });
    return context;
  }

  /** Why a new context is refused; undefined if it is not. */
  #refusalReason(id: string, message: ContextMessage): string | undefined {
    if (this.#closedIds.has(id)) return 'This context has been closed';
    // One message may open a context, send its text, and close it.
    if (message.close_context && !message.text) return 'No such context is open';
    if (this.#contexts.size < MAX_CONTEXTS) return undefined;
    return `A socket has at most ${MAX_CONTEXTS} open contexts`;
  }

  #forget(id: string): void {
    this.#contexts.delete(id);
    this.#closedIds.add(id);
    for (const oldest of this.#closedIds) {
      if (this.#closedIds.size <= MAX_CLOSED_IDS) return;
      this.#closedIds.delete(oldest);
    }
  }

  #onFault(error: unknown, id: string): void {
    this.#sendErrorOf(error, id);
    if (!(error instanceof ApiError)) this.#session.logFault(error);
    else if (!TRANSIENT_ERRORS.includes(error.code)) this.#session.fail(error);
  }

  /** Closes after all flushed texts have been spoken. */
  async #close(): Promise<void> {
    this.#isClosing = true;
    const open = [...this.#contexts.values()];
    for (const context of open) context.finish();
    await Promise.all(open.map(({ closed }) => closed));
    await this.#session.socket.finish();
  }

  #sendErrorOf(error: unknown, id: string | undefined): void {
    const isKnown = error instanceof ApiError && error.code !== 'INTERNAL_ERROR';
    this.#sendError(isKnown ? error.message : 'Something went wrong on our side', id);
  }

  /** Does not wait: SocketWriter disconnects a client that does not read. */
  #sendError(error: string, id?: string): void {
    void this.#session.socket.send({ error, ...(id !== undefined && { context_id: id }) });
  }
}
