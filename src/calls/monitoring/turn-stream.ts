import type { Logger } from 'pino';
import type { CallTurnsRepository } from '../store/call-turns.repository.js';
import type { LiveEvent } from './live-event.js';
import type { EventStream } from './sse-stream.js';

/** Events that wait for what was said before them. */
const MAX_WAITING = 1_000;

export interface TurnStreamParts {
  readonly callId: string;
  /** The first turn that the client wants told. */
  readonly from: number;
  readonly stream: EventStream;
  readonly turns: Pick<CallTurnsRepository, 'listFrom'>;
  readonly log: Logger;
}

/**
 * One call as its watcher is told of it, in order: whenever it is told that the call runs, at the
 * beginning and after a link between gateways broke, the turns that it may have missed come next.
 */
export class TurnStream {
  readonly #parts: TurnStreamParts;
  #next: number;
  #waiting = 0;
  #told: Promise<void> = Promise.resolve();

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
    this.#told = this.#told
      .then(() => this.#send(event))
      .catch((error: unknown) => log.warn({ err: error }, 'turns of a live call are not told'))
      .finally(() => {
        this.#waiting--;
      });
  }

  /** Resolves when all has been told. */
  told(): Promise<void> {
    return this.#told;
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

  /** The newest may still change, so it is told again to who comes again. */
  #sendTurn(turn: Extract<LiveEvent, { type: 'turn' }>): void {
    this.#next = Math.max(this.#next, turn.index);
    this.#parts.stream.send(turn, String(turn.index));
  }
}
