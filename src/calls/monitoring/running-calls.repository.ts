import type { Knex } from 'knex';
import type { CallRow } from '../store/call.model.js';
import type { CallTurnRow } from '../store/turn.model.js';
import type { RunningCall } from './live-event.js';

/** Calls of an account that are listed at most. */
const MAX_LISTED = 1_000;

/** Reads the calls that run, and their turns so far. */
export class RunningCallsRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  find(callId: string): Promise<CallRow | undefined> {
    return this.#db<CallRow>('calls').where({ call_id: callId }).first();
  }

  /** The account's calls that run, the newest first. */
  async list(accountId: string): Promise<readonly RunningCall[]> {
    const rows = await this.#db<CallRow>('calls')
      .where({ account_id: accountId, state: 'live' })
      .orderBy('id', 'desc')
      .limit(MAX_LISTED);
    return rows.map(toRunning);
  }

  /** Turns from an index on. */
  async turns(callId: string, from: number): Promise<readonly CallTurnRow[]> {
    return this.#db<CallTurnRow>('call_turns')
      .where({ call_id: callId })
      .where('index', '>=', from)
      .orderBy('index');
  }
}

export function toRunning(row: CallRow): RunningCall {
  const { call_id, agent_id, agent_name, call_type, from_number, to_number } = row;
  const started_at = row.started_at?.toISOString() ?? null;
  return { call_id, agent_id, agent_name, call_type, from_number, to_number, started_at };
}
