import type { Knex } from 'knex';
import type { CallRow } from '../store/call.model.js';
import type { Deleted } from './deletion-receipts.repository.js';
import type { Artifact, RetentionPolicy } from './retention.repository.js';

/** A call that can be deleted. */
export type RetainedCall = CallRow & { readonly reserved_until: Date };

/** Records the number of deleted rows in the same transaction. */
type RecordCounts<Counts> = (transaction: Knex.Transaction, counts: Counts) => Promise<void>;

/** The summary and the webhooks of a call that has just ended may still be in progress. */
const SETTLED = "interval '10 minutes'";

/** Longer than the last token of an unused reservation is valid: the end token lives for a day. */
const ABANDONED = "interval '2 days'";

const COLUMNS = {
  audio: { days: 'audio_days', deletedAt: 'audio_deleted_at' },
  transcript: { days: 'transcript_days', deletedAt: 'words_deleted_at' },
} as const;

/**
 * Finds and deletes rows of calls: calls, turns and webhook deliveries. Of a row that stays, it changes
 * only what a deletion clears or records.
 */
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

  /** Calls from or to a number that have not ended. @param digits - in E.164, without the plus */
  async openOf(accountId: string, digits: string): Promise<readonly RetainedCall[]> {
    return this.#ofNumber(accountId, digits).whereNot({ state: 'ended' });
  }

  /** Calls from or to a number, oldest first. @param after - the `id` of the previous page's last call */
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

  /** The number of a call's recordings, without lost ones. */
  async countRecordings(callId: string): Promise<number> {
    const known = await this.#db('recordings')
      .where({ call_id: callId })
      .whereNot({ state: 'lost' });
    return known.length;
  }

  /** Records once that the audio of a call is deleted. */
  async markAudioDeleted(
    callId: string,
    recordCounts: (transaction: Knex.Transaction) => Promise<void>,
  ): Promise<void> {
    await this.#db.transaction(async (transaction) => {
      if (await mark(transaction, callId, 'audio_deleted_at')) await recordCounts(transaction);
    });
  }

  /** Deletes the transcript, summary and variables of an ended call, once. Its row stays. */
  async deleteTranscript(
    callId: string,
    recordCounts: RecordCounts<Pick<Deleted, 'turns' | 'webhook_deliveries'>>,
  ): Promise<void> {
    await this.#db.transaction(async (transaction) => {
      if (!(await mark(transaction, callId, 'words_deleted_at'))) return;
      const turns = await transaction('call_turns').where({ call_id: callId }).delete();
      await transaction('calls')
        .where({ call_id: callId })
        .update({ options: {}, transcription_summary: null, summary_due_at: null });
      const sent = await transaction('webhook_deliveries').where({ call_id: callId }).delete();
      await recordCounts(transaction, { turns, webhook_deliveries: sent });
    });
  }

  /** Deletes a call with its row, unless it runs. */
  async delete(
    callId: string,
    recordCounts: RecordCounts<Pick<Deleted, 'calls' | 'turns' | 'webhook_deliveries'>>,
  ): Promise<void> {
    await this.#db.transaction(async (transaction) => {
      const turns = await transaction('call_turns').where({ call_id: callId }).delete();
      const calls = await transaction('calls')
        .where({ call_id: callId })
        .whereNot({ state: 'live' })
        .delete();
      if (calls === 0) return;
      const sent = await transaction('webhook_deliveries').where({ call_id: callId }).delete();
      await recordCounts(transaction, { calls, turns, webhook_deliveries: sent });
    });
  }

  /** Calls that are due for deletion by a policy, oldest first. An agent's own policy takes precedence. */
  async due(
    policy: RetentionPolicy,
    artifact: Artifact,
    limit: number,
  ): Promise<readonly string[]> {
    const { days, deletedAt } = COLUMNS[artifact];
    const { account_id, agent_id } = policy;
    if (policy[days] === null) return [];
    return this.#db('calls')
      .where({ account_id, state: 'ended' })
      .whereNull(deletedAt)
      .whereRaw(`ended_at < now() - greatest(? * interval '1 day', ${SETTLED})`, [policy[days]])
      .modify((calls) => {
        if (agent_id !== null) calls.where({ agent_id });
        else {
          calls.whereNotIn('agent_id', (own) =>
            own
              .select('agent_id')
              .from('retention_policies')
              .where({ account_id })
              .whereNotNull('agent_id')
              .whereNotNull(days),
          );
        }
      })
      .orderBy('ended_at')
      .limit(limit)
      .pluck('call_id');
  }

  /**
   * Deletes web calls that were reserved and never started, oldest first. They are in no list and no
   * sum. A call that is being claimed, or that has any artifact, stays.
   * @returns the number of deleted calls
   */
  async deleteUnused(limit: number): Promise<number> {
    const { rowCount } = await this.#db.raw<{ rowCount: number }>(
      `delete from calls where id in (
         select id from calls
         where call_type = 'web' and started_at is null and state <> 'live'
           and created_at < now() - ${ABANDONED}
           and not exists (select from call_turns where call_turns.call_id = calls.call_id)
           and not exists (select from recordings where recordings.call_id = calls.call_id)
           and not exists (select from webhook_deliveries where webhook_deliveries.call_id = calls.call_id)
         order by created_at limit ? for update skip locked)`,
      [limit],
    );
    return rowCount;
  }
}

/** @returns false if the column was set before */
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
