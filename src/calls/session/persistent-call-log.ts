import { setTimeout as sleep } from 'node:timers/promises';
import type { CallLog, LoggedTurn } from '../../../agents-runtime/contract/call-log.js';
import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import { isDatabaseUnavailable } from '../../platform/db/database-unavailable.js';
import type { CallTurnsRepository } from '../store/call-turns.repository.js';
import type { CallsRepository } from '../store/calls.repository.js';

const RETRY_MS = 1_000;

export interface PersistentCallLogParts {
  readonly calls: Pick<CallsRepository, 'markStarted' | 'end'>;
  readonly turns: Pick<CallTurnsRepository, 'save'>;
  readonly callId: string;
  /** While the gateway stops, writes are not retried. */
  readonly isStopping: () => boolean;
  readonly retryMs?: number;
}

/**
 * The record of a call in the database. Writes are retried while the database is unavailable. If the end
 * were not written, the call would keep its slot until this gateway stops.
 */
export class PersistentCallLog implements CallLog {
  readonly #parts: PersistentCallLogParts;

  constructor(parts: PersistentCallLogParts) {
    this.#parts = parts;
  }

  started(): Promise<void> {
    const { calls, callId } = this.#parts;
    return this.#retry(() => calls.markStarted(callId));
  }

  turn(turn: LoggedTurn): Promise<void> {
    const { turns, callId } = this.#parts;
    return this.#retry(() => turns.save(callId, turn));
  }

  ended(reason: EndedReason): Promise<void> {
    const { calls, callId } = this.#parts;
    return this.#retry(() => calls.end(callId, reason));
  }

  /** @param write - idempotent */
  async #retry(write: () => Promise<void>): Promise<void> {
    const { isStopping, retryMs = RETRY_MS } = this.#parts;
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!isDatabaseUnavailable(error) || isStopping()) throw error;
      }
      await sleep(retryMs, undefined, { ref: false });
    }
  }
}
