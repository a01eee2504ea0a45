import type { WebSocket } from 'ws';
import { ApiError } from '../../../platform/http/api-error.js';
import type { SocketContext, SocketRoute } from '../../../platform/http/websocket-router.js';
import type { ModelCatalogue } from '../../model-catalogue/model-catalogue.js';
import { MultiContextSession } from './multi-context-session.js';
import { type SocketMessages, socketMessages } from './protocol.js';
import { type FrameHandler, type SessionParts, SpeechSocketSession } from './session.js';
import { SingleContextSession } from './single-context-session.js';
import { SocketWriter } from './socket-writer.js';

const IDLE_MS = 180_000;
/** Open sockets per account. Idle sockets do not count for the speech quota. */
const MAX_SOCKETS = 200;

export interface SpeechSocketParts extends SessionParts {
  readonly models: ModelCatalogue;
  /** After this time without reading, a client is disconnected. */
  readonly idleMs: number;
  readonly maxMessageBytes: number;
}

type CreateHandler = (session: SpeechSocketSession) => FrameHandler;

/** `/tts/stream` and `/tts/multi-stream`. */
export function speechSockets(parts: SpeechSocketParts): readonly SocketRoute[] {
  const sockets = new OpenSockets(parts);
  const shared = { scope: 'speech', maxMessageBytes: parts.maxMessageBytes } as const;
  return [
    {
      ...shared,
      path: '/api/v1/tts/stream',
      open: (socket, context) =>
        sockets.open(socket, context, (session) => new SingleContextSession(session)),
    },
    {
      ...shared,
      path: '/api/v1/tts/multi-stream',
      open: (socket, context) =>
        sockets.open(socket, context, (session) => new MultiContextSession(session)),
    },
  ];
}

/** Creates the session of each socket, and counts sockets per account. */
class OpenSockets {
  readonly #parts: SpeechSocketParts;
  readonly #messages: SocketMessages;
  readonly #counts = new Map<string, number>();

  constructor(parts: SpeechSocketParts) {
    this.#parts = parts;
    this.#messages = socketMessages(parts.models.ttsModels.map(({ id }) => id));
  }

  open(
    socket: WebSocket,
    { principal: { accountId }, log }: SocketContext,
    make: CreateHandler,
  ): void {
    const { clock, idleMs } = this.#parts;
    const writer = new SocketWriter(socket, {
      clock,
      idleMs: IDLE_MS,
      stallMs: idleMs,
      onFrame: async (frame) => {
        try {
          await handler.onFrame(frame);
        } catch (error) {
          session.fail(error);
        }
      },
    });
    const { signal } = writer;
    const session = new SpeechSocketSession({
      parts: this.#parts,
      messages: this.#messages,
      socket: writer,
      accountId,
      log,
    });
    const handler = make(session);
    signal.addEventListener('abort', () => handler.end());
    this.#count(accountId, signal);
    if (this.#counts.get(accountId)! > MAX_SOCKETS) session.fail(tooMany());
  }

  #count(accountId: string, signal: AbortSignal): void {
    this.#counts.set(accountId, (this.#counts.get(accountId) ?? 0) + 1);
    signal.addEventListener('abort', () => {
      const left = this.#counts.get(accountId)! - 1;
      if (left > 0) this.#counts.set(accountId, left);
      else this.#counts.delete(accountId);
    });
  }
}

function tooMany(): ApiError {
  return new ApiError('RATE_LIMITED', `An account has at most ${MAX_SOCKETS} open speech sockets`);
}
