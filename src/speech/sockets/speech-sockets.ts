import type { WebSocket } from 'ws';
import { ApiError } from '../../errors.js';
import type { SocketCall, SocketRoute } from '../../http/upgrade.js';
import type { ModelListing } from '../../models-listing/model-listing.js';
import { MultiSpeech } from './multi-speech.js';
import { type SocketMessages, socketMessages } from './protocol.js';
import { Session, type SessionParts, type SocketSession } from './session.js';
import { SingleSpeech } from './single-speech.js';
import { SpeechWire } from './speech-wire.js';

const IDLE_MS = 180_000;
/** Open sockets of one account; those that say nothing hold no place among the texts. */
const MOST_SOCKETS = 200;

export interface SpeechSocketParts extends SessionParts {
  readonly models: ModelListing;
  /** After this time a client that takes no bytes is cut off. */
  readonly idleMs: number;
  readonly maxMessageBytes: number;
}

type OpenSession = (session: Session) => SocketSession;

/** `/tts/stream` and `/tts/multi-stream`. */
export function speechSockets(parts: SpeechSocketParts): readonly SocketRoute[] {
  const sockets = new OpenSockets(parts);
  const shared = { scope: 'speech', maxMessageBytes: parts.maxMessageBytes } as const;
  return [
    {
      ...shared,
      path: '/api/v1/tts/stream',
      open: (socket, call) => sockets.open(socket, call, (session) => new SingleSpeech(session)),
    },
    {
      ...shared,
      path: '/api/v1/tts/multi-stream',
      open: (socket, call) => sockets.open(socket, call, (session) => new MultiSpeech(session)),
    },
  ];
}

/** Joins sockets and sessions, and counts them by account. */
class OpenSockets {
  readonly #parts: SpeechSocketParts;
  readonly #messages: SocketMessages;
  readonly #counts = new Map<string, number>();

  constructor(parts: SpeechSocketParts) {
    this.#parts = parts;
    this.#messages = socketMessages(parts.models.ttsModels.map(({ id }) => id));
  }

  open(socket: WebSocket, { principal: { accountId }, log }: SocketCall, make: OpenSession): void {
    const { clock, idleMs } = this.#parts;
    const wire = new SpeechWire(socket, {
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
    const { signal } = wire;
    const session = new Session({
      parts: this.#parts,
      messages: this.#messages,
      wire,
      accountId,
      log,
    });
    const handler = make(session);
    signal.addEventListener('abort', () => handler.end());
    this.#count(accountId, signal);
    if (this.#counts.get(accountId)! > MOST_SOCKETS) session.fail(tooMany());
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
  return new ApiError('RATE_LIMITED', `An account has at most ${MOST_SOCKETS} open speech sockets`);
}
