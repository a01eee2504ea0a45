import { randomUUID } from 'node:crypto';
import { ApiError } from '../../../platform/http/api-error.js';
import type { SpeechVoiceSettings } from '../speech.service.js';
import { type ContextMessage, type FirstContextMessage, readMessage } from './protocol.js';
import type { Session, SocketSession } from './session.js';
import { SpeechContext } from './speech-context.js';
import { SpeechWriter } from './speech-writer.js';

/** Contexts that one socket has open at the same time. */
const MAX_CONTEXTS = 20;
/** So many closed contexts are remembered: text that comes too late for one is not spoken. */
const REMEMBERED = 1_000;
/** Faults of a moment, or of one context, after which the others go on. */
const PASSING: readonly string[] = ['OVERLOADED', 'RATE_LIMITED'];

/** How the socket's contexts sound: its first message decides. */
interface Voice {
  readonly manner: SpeechVoiceSettings;
  readonly writer: SpeechWriter;
}

/** `/tts/multi-stream`: many contexts, each with texts of its own, in the manner of the first message. */
export class MultiContextSession implements SocketSession {
  readonly #session: Session;
  readonly #contexts = new Map<string, SpeechContext>();
  readonly #closedIds = new Set<string>();
  #voice: Voice | undefined;
  #isClosing = false;

  constructor(session: Session) {
    this.#session = session;
  }

  async onFrame(frame: Buffer): Promise<void> {
    const { first, later } = this.#session.messages.multi;
    if (this.#voice) this.#onLater(this.#voice, readMessage(later, frame));
    else await this.#begin(readMessage(first, frame));
  }

  end(): void {
    // The contexts end with the socket's signal.
  }

  async #begin(message: FirstContextMessage): Promise<void> {
    const { accountId, parts } = this.#session;
    const id = message.context_id ?? randomUUID();
    try {
      const manner = await this.#session.resolve(message);
      const deliveryMode = message.delivery_mode ?? 'raw';
      const writer = new SpeechWriter(parts, { accountId, manner, deliveryMode });
      this.#voice = { manner, writer };
    } catch (error) {
      this.#tell(error, message.context_id ?? undefined);
      throw error;
    }
    this.#apply(this.#voice, id, message);
  }

  #onLater(voice: Voice, message: ContextMessage): void {
    if (this.#isClosing) return;
    const id = message.context_id ?? this.#onlyId();
    if (id !== undefined) this.#apply(voice, id, message);
    else if (!message.close_socket) {
      this.#say(`context_id is missing, and ${this.#contexts.size} contexts are open`);
    }
    if (message.close_socket) this.#session.run(() => this.#close());
  }

  #onlyId(): string | undefined {
    return this.#contexts.size === 1 ? [...this.#contexts.keys()][0] : undefined;
  }

  #apply(voice: Voice, id: string, message: ContextMessage): void {
    const context = this.#contexts.get(id) ?? this.#open(voice, id, message);
    if (!context) return;
    try {
      if (message.auto_close != null) context.isAutoClosed = message.auto_close;
      if (message.text) context.add(message.text);
      if (message.flush) context.flush();
    } catch (error) {
      this.#tell(error, id);
      throw error;
    }
    if (!message.close_context) return;
    if (message.flush) context.finish();
    else context.close();
  }

  #open(voice: Voice, id: string, message: ContextMessage): SpeechContext | undefined {
    const refusal = this.#refusalOf(id, message);
    if (refusal !== undefined) {
      this.#say(refusal, id);
      return undefined;
    }
    const context = new SpeechContext({
      id,
      wire: this.#session.wire,
      writer: voice.writer,
      textBuffer: () => this.#session.textBuffer(voice.manner),
      onFault: (error) => this.#onFault(error, id),
    });
    this.#contexts.set(id, context);
    this.#session.run(async () => {
      await context.closed;
      this.#forget(id);
    });
    return context;
  }

  /** Why a context that is not open is not opened. */
  #refusalOf(id: string, message: ContextMessage): string | undefined {
    if (this.#closedIds.has(id)) return 'This context has been closed';
    // One message may open a context, say everything, and close it.
    if (message.close_context && !message.text) return 'No such context is open';
    if (this.#contexts.size < MAX_CONTEXTS) return undefined;
    return `A socket has at most ${MAX_CONTEXTS} open contexts`;
  }

  #forget(id: string): void {
    this.#contexts.delete(id);
    this.#closedIds.add(id);
    for (const oldest of this.#closedIds) {
      if (this.#closedIds.size <= REMEMBERED) return;
      this.#closedIds.delete(oldest);
    }
  }

  #onFault(error: unknown, id: string): void {
    this.#tell(error, id);
    if (!(error instanceof ApiError)) this.#session.noteFault(error);
    else if (!PASSING.includes(error.code)) this.#session.fail(error);
  }

  /** What was flushed is still spoken. */
  async #close(): Promise<void> {
    this.#isClosing = true;
    const open = [...this.#contexts.values()];
    for (const context of open) context.finish();
    await Promise.all(open.map(({ closed }) => closed));
    await this.#session.wire.finish();
  }

  #tell(error: unknown, id: string | undefined): void {
    const isKnown = error instanceof ApiError && error.code !== 'INTERNAL_ERROR';
    this.#say(isKnown ? error.message : 'Something went wrong on our side', id);
  }

  /** Nobody waits for it: a client that takes no answers is cut off by the wire. */
  #say(error: string, id?: string): void {
    void this.#session.wire.send({ error, ...(id !== undefined && { context_id: id }) });
  }
}
