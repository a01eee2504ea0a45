import type { Logger } from 'pino';
import type { CallTurnsRepository } from '../store/call-turns.repository.js';
import type { LiveEvent } from './live-event.js';
import type { EventStream } from './sse-stream.js';

/** Maximum number of events that wait for the turns before them. */
const MAX_WAITING = 1_000;

export interface TurnStreamParts {
  readonly callId: string;
  /** Index of the first turn that the client needs. */
  readonly from: number;
  readonly stream: EventStream;
  readonly turns: Pick<CallTurnsRepository, 'listFrom'>;
  readonly log: Logger;
}

/**
 * Sends the events of one call to its watcher in order. After each `call` event, at the start and after a
 * connection between gateways broke, it sends the turns that the watcher may have missed.
 */
export class TurnStream {
  readonly #parts: TurnStreamParts;
  #next: number;
  #waiting = 0;
  #sent: Promise<void> = Promise.resolve();

  constructor(parts: TurnStreamParts) {
    this.#parts = parts;
    this.#next = parts.from;
  }

  tell(event: LiveEvent): void {
    const { stream, log } = this.#parts;
    if (this.#waiting >= MAX_WAITING) {
      stream.close('slow_reader');
      return;
    }
    this.#waiting++;
    this.#sent = this.#sent
      .then(() => this.#send(event))
      .catch((error: unknown) =>
        log.warn({ err: error }, 'Cannot read the turns of a live call: its stream lacks them'),
      )
      .finally(() => {
        this.#waiting--;
      });
  }

  /** Resolves when all events have been sent. */
  flushed(): Promise<void> {
    return this.#sent;
  }

  async #send(event: LiveEvent): Promise<void> {
    const { callId, stream, turns } = this.#parts;
    if (event.type === 'turn') {
      this.#sendTurn(event);
      return;
    }
    if (event.type !== 'ended') stream.send(event);
    if (event.type === 'call' || event.type === 'ended') {
      for (const turn of await turns.listFrom(callId, this.#next)) {
        const { index, role, text, cut, start_ms, end_ms } = turn;
        this.#sendTurn({
          ...{ type: 'turn', call_id: callId },
          ...{ index, role, text, cut, start_ms, end_ms },
        });
      }
    }
    if (event.type === 'ended') stream.send(event);
  }

  /** The newest turn may still change, so a client that reconnects receives it again. */
  #sendTurn(turn: Extract<LiveEvent, { type: 'turn' }>): void {
    this.#next = Math.max(this.#next, turn.index);
    this.#parts.stream.send(turn, String(turn.index));
  }
}
