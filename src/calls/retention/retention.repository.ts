import type { Knex } from 'knex';

/** Days after the end of a call until its artifacts are deleted; null: no limit of its own. */
export interface RetentionDays {
  readonly audio_days: number | null;
  readonly transcript_days: number | null;
}

/** An account's policy for all agents (`agent_id` null) or for one. */
export interface RetentionPolicy extends RetentionDays {
  readonly account_id: string;
  readonly agent_id: string | null;
}

/** The artifacts of a call that are deleted separately. `transcript` includes the summary and variables. */
export type Artifact = 'audio' | 'transcript';

/** The summary and the webhooks of a call that has just ended may still be in progress. */
const SETTLED = "interval '10 minutes'";

/** Longer than the last token of an unused reservation is valid: the end token lives for a day. */
const ABANDONED = "interval '2 days'";

const COLUMNS = {
  audio: { days: 'audio_days', deletedAt: 'audio_deleted_at' },
  transcript: { days: 'transcript_days', deletedAt: 'words_deleted_at' },
} as const;

/** The table `retention_policies`, and queries for calls that are due for deletion. */
export class RetentionRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** @param agentId - null for the account's policy */
  async find(accountId: string, agentId: string | null): Promise<RetentionDays> {
    const row = await this.#db<RetentionPolicy>('retention_policies')
      .where({ account_id: accountId, agent_id: agentId })
      .first('audio_days', 'transcript_days');
    return row ?? { audio_days: null, transcript_days: null };
  }

  async save(accountId: string, agentId: string | null, days: RetentionDays): Promise<void> {
    const target =
      agentId === null
        ? '(account_id) where agent_id is null'
        : '(account_id, agent_id) where agent_id is not null';
    await this.#db.raw(
      `insert into retention_policies (account_id, agent_id, audio_days, transcript_days)
       values (?, ?, ?, ?) on conflict ${target} do update set
         audio_days = excluded.audio_days, transcript_days = excluded.transcript_days,
         updated_at = now()`,
      [accountId, agentId, days.audio_days, days.transcript_days],
    );
  }

  /** All policies that delete anything. */
  async list(): Promise<readonly RetentionPolicy[]> {
    return this.#db<RetentionPolicy>('retention_policies')
      .where((some) => some.whereNotNull('audio_days').orWhereNotNull('transcript_days'))
      .select('account_id', 'agent_id', 'audio_days', 'transcript_days')
      .orderBy('id');
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
