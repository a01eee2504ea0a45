import type { Knex } from 'knex';
import type { CallRow } from '../store/call.model.js';
import type { Deleted } from './deletion-audit.repository.js';

/** A call of which something may be deleted. */
export type RetainedCall = CallRow & { readonly reserved_until: Date };

/** Writes down what was deleted, in the same transaction. */
type Note<Counts> = (transaction: Knex.Transaction, counts: Counts) => Promise<void>;

/** What is stored of calls, found and deleted: their rows, turns, and what receivers are sent of them. */
export class RetainedCallsRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async find(accountId: string, callId: string): Promise<RetainedCall | undefined> {
    return this.#db<RetainedCall>('calls')
      .where({ call_id: callId, account_id: accountId })
      .first();
  }

  /** Calls from or to a number that have not ended. @param digits of it in E.164, without its plus */
  async openOf(accountId: string, digits: string): Promise<readonly RetainedCall[]> {
    return this.#ofNumber(accountId, digits).whereNot({ state: 'ended' });
  }

  /** Calls from or to a number, the oldest first. @param after the `id` of the last one before */
  async pageOf(
    accountId: string,
    digits: string,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<readonly RetainedCall[]> {
    return this.#ofNumber(accountId, digits).where('id', '>', after).orderBy('id').limit(limit);
  }

  #ofNumber(accountId: string, digits: string) {
    return this.#db<RetainedCall>('calls')
      .where({ account_id: accountId })
      .where((either) => {
        for (const column of ['from_number', 'to_number']) {
          either.orWhereRaw(`regexp_replace(??, '\\D', '', 'g') = ?`, [column, digits]);
        }
      });
  }

  /** How many recordings a call has, lost ones not among them. */
  async countRecordings(callId: string): Promise<number> {
    const known = await this.#db('recordings')
      .where({ call_id: callId })
      .whereNot({ state: 'lost' });
    return known.length;
  }

  /** The sound of a call is gone; noted once. */
  async markAudioDeleted(
    callId: string,
    note: (transaction: Knex.Transaction) => Promise<void>,
  ): Promise<void> {
    await this.#db.transaction(async (transaction) => {
      if (await mark(transaction, callId, 'audio_deleted_at')) await note(transaction);
    });
  }

  /** Deletes the words of a call that has ended, once; its row stays. */
  async deleteWords(
    callId: string,
    note: Note<Pick<Deleted, 'turns' | 'webhook_deliveries'>>,
  ): Promise<void> {
    await this.#db.transaction(async (transaction) => {
      if (!(await mark(transaction, callId, 'words_deleted_at'))) return;
      const turns = await transaction('call_turns').where({ call_id: callId }).delete();
      await transaction('calls')
        .where({ call_id: callId })
        .update({ options: {}, transcription_summary: null, summary_due_at: null });
      const sent = await transaction('webhook_deliveries').where({ call_id: callId }).delete();
      await note(transaction, { turns, webhook_deliveries: sent });
    });
  }

  /** Deletes all of a call, its row too; one that runs stays. */
  async delete(
    callId: string,
    note: Note<Pick<Deleted, 'calls' | 'turns' | 'webhook_deliveries'>>,
  ): Promise<void> {
    await this.#db.transaction(async (transaction) => {
      const turns = await transaction('call_turns').where({ call_id: callId }).delete();
      const calls = await transaction('calls')
        .where({ call_id: callId })
        .whereNot({ state: 'live' })
        .delete();
      if (calls === 0) return;
      const sent = await transaction('webhook_deliveries').where({ call_id: callId }).delete();
      await note(transaction, { calls, turns, webhook_deliveries: sent });
    });
  }
}

/** @returns whether it was not done before. */
async function mark(
  transaction: Knex.Transaction,
  callId: string,
  column: 'audio_deleted_at' | 'words_deleted_at',
): Promise<boolean> {
  const changed = await transaction<CallRow>('calls')
    .where({ call_id: callId, state: 'ended' })
    .whereNull(column)
    .update({ [column]: transaction.fn.now(3) });
  return changed > 0;
}
