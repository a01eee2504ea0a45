import type { Knex } from 'knex';

/** How long what remains of calls is kept, in days after their end; null: no limit of its own. */
export interface RetentionDays {
  readonly audio_days: number | null;
  readonly transcript_days: number | null;
}

/** One account's policy, of all agents (`agent_id` null) or of one. */
export interface RetentionPolicy extends RetentionDays {
  readonly account_id: string;
  readonly agent_id: string | null;
}

/** What goes: the sound of a call, or its words. */
export type Remains = 'audio' | 'words';

/** A summary of a call that has just ended may still be written, and receivers told of it. */
const SETTLED = "interval '10 minutes'";

/** The last token of a call that was asked for, by which its client ends it, lives for a day. */
const ABANDONED = "interval '2 days'";

const COLUMNS = {
  audio: { days: 'audio_days', deletedAt: 'audio_deleted_at' },
  words: { days: 'transcript_days', deletedAt: 'words_deleted_at' },
} as const;

/** The only code that names the columns of `retention_policies`. */
export class RetentionRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** @param agentId null for the account's own. */
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

  /** Every policy that has something deleted. */
  async list(): Promise<readonly RetentionPolicy[]> {
    return this.#db<RetentionPolicy>('retention_policies')
      .where((some) => some.whereNotNull('audio_days').orWhereNotNull('transcript_days'))
      .select('account_id', 'agent_id', 'audio_days', 'transcript_days')
      .orderBy('id');
  }

  /** Calls whose time has come by a policy, the oldest first; an agent's own policy goes before. */
  async due(policy: RetentionPolicy, what: Remains, limit: number): Promise<readonly string[]> {
    const { days, deletedAt } = COLUMNS[what];
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
   * Deletes calls that clients asked for and never came to, the oldest first: they are in no list and
   * no sum. One that somebody takes just now, or of which anything is kept, stays. @returns how many.
   */
  async deleteUnbegun(limit: number): Promise<number> {
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
