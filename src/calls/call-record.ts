import type { CallLog, EndedReason, LoggedTurn } from '../../agents-runtime/call/call-log.js';
import type { CallsRepository } from './calls.repository.js';

/** A call's record in the database. */
export class CallRecord implements CallLog {
  readonly #calls: CallsRepository;
  readonly #callId: string;

  constructor(calls: CallsRepository, callId: string) {
    this.#calls = calls;
    this.#callId = callId;
  }

  started(): Promise<void> {
    return this.#calls.start(this.#callId);
  }

  turn(turn: LoggedTurn): Promise<void> {
    return this.#calls.turns.save(this.#callId, turn);
  }

  ended(reason: EndedReason): Promise<void> {
    return this.#calls.end(this.#callId, reason);
  }
}
