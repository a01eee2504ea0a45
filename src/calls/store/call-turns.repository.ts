import type { Knex } from 'knex';
import type { LoggedTurn } from '../../../agents-runtime/contract/call-log.js';
import type { WebhookRecorder } from '../../features/webhooks/webhook-events.js';
import type { CallRow } from './call.model.js';
import { toolCalled, turnCompleted } from './call-events.js';
import { type CallTurnRow, toReportedTurn, toTurnRow } from './turn.model.js';

const PAGE_TURNS = 500;

/** The turns of calls. Their webhook events are recorded in the same transaction. */
export class CallTurnsRepository {
  readonly #db: Knex;
  readonly #events: WebhookRecorder;

  constructor(db: Knex, events: WebhookRecorder) {
    this.#db = db;
    this.#events = events;
  }

  /** Inserts or replaces a turn, and records the events that were not recorded yet. */
  async save(callId: string, turn: LoggedTurn): Promise<void> {
    await this.#db.transaction(async (transaction) => {
      const storedTools = turn.tools ? await this.#countTools(transaction, callId, turn.index) : 0;
      const [saved] = await transaction('call_turns')
        .insert(toTurnRow(callId, turn))
        .onConflict(['call_id', 'index'])
        .merge()
        .returning<{ is_new: boolean }[]>(transaction.raw('(xmax = 0) as is_new'));
      await this.#recordTools(transaction, callId, {
        ...turn,
        tools: turn.tools?.slice(storedTools) ?? [],
      });
      if (saved?.is_new) await this.#recordTurns(transaction, callId, turn);
    });
  }

  /** Whether a call has turns. */
  async has(callId: string): Promise<boolean> {
    return (await this.#db('call_turns').where({ call_id: callId }).first('index')) !== undefined;
  }

  /** Reads a call's turns in pages of 500. @param order - of the turns; ties are in order of index */
  async *read(
    callId: string,
    order: 'index' | 'start_ms' = 'index',
  ): AsyncGenerator<readonly CallTurnRow[]> {
    let last: CallTurnRow | undefined;
    do {
      const page: readonly CallTurnRow[] = await this.#db<CallTurnRow>('call_turns')
        .where({ call_id: callId })
        .modify((turns) => {
          if (last) turns.whereRaw('(??, index) > (?, ?)', [order, last[order], last.index]);
        })
        .orderBy([order, 'index'])
        .limit(PAGE_TURNS);
      if (page.length > 0) yield page;
      last = page.length === PAGE_TURNS ? page.at(-1) : undefined;
    } while (last);
  }

  /** The turns of a call from an index on. */
  async listFrom(callId: string, index: number): Promise<readonly CallTurnRow[]> {
    return this.#db<CallTurnRow>('call_turns')
      .where({ call_id: callId })
      .where('index', '>=', index)
      .orderBy('index');
  }

  /** The number of tools that a turn had when it was stored before. */
  async #countTools(transaction: Knex.Transaction, callId: string, index: number): Promise<number> {
    const previous = await transaction<CallTurnRow>('call_turns')
      .where({ call_id: callId, index })
      .first('tools');
    return previous?.tools?.length ?? 0;
  }

  async #recordTools(
    transaction: Knex.Transaction,
    callId: string,
    turn: LoggedTurn,
  ): Promise<void> {
    if (!turn.tools?.length) return;
    const call = await transaction<CallRow>('calls').where({ call_id: callId }).first();
    if (!call) return;
    const events = turn.tools.map((tool) => toolCalled(call, turn.index, tool));
    await this.#events.record(transaction, events);
  }

  /** An agent's turn is complete when it is stored. A user's turn is complete when the next turn is stored. */
  async #recordTurns(
    transaction: Knex.Transaction,
    callId: string,
    turn: LoggedTurn,
  ): Promise<void> {
    const previous = await findUserTurn(transaction, callId, turn.index - 1);
    const completed = [...(previous ? [previous] : []), ...(turn.role === 'agent' ? [turn] : [])];
    if (completed.length === 0) return;
    const call = await transaction<CallRow>('calls').where({ call_id: callId }).first();
    if (!call) return;
    const events = completed.map((each) => turnCompleted(call, each));
    await this.#events.record(transaction, events);
  }
}

/** The user's turn at an index. Default: the last turn of the call, if it is the user's. */
export async function findUserTurn(
  transaction: Knex.Transaction,
  callId: string,
  index?: number,
): Promise<LoggedTurn | undefined> {
  const row = await transaction<CallTurnRow>('call_turns')
    .where({ call_id: callId, ...(index !== undefined && { index }) })
    .orderBy('index', 'desc')
    .first();
  return row?.role === 'user' ? toReportedTurn(row) : undefined;
}
