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

/** The table `retention_policies`. */
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
}
