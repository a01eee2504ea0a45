import type { Knex } from 'knex';
import type { EndedReason } from '../../agents-runtime/call/call-log.js';

export const HISTORY_SORTS = [
  'timestamp',
  'agent',
  'call',
  'duration',
  'credits',
  'summary',
  'transcript',
  'recording',
] as const;

export interface HistoryQuery {
  readonly startDate?: Date | undefined;
  readonly endDate?: Date | undefined;
  readonly agentIds?: readonly string[] | undefined;
  readonly agentName?: string | undefined;
  readonly sortBy: (typeof HISTORY_SORTS)[number];
  readonly sortDir: 'asc' | 'desc';
}

/** One call of the history, with what is summed up of its turns. */
export interface HistoryRow {
  readonly id: number;
  readonly call_id: string;
  readonly agent_id: string;
  readonly agent_name: string;
  readonly call_type: string;
  readonly state: string;
  readonly ended_reason: EndedReason | null;
  readonly from_number: string | null;
  readonly to_number: string | null;
  readonly called_at: Date;
  readonly duration_seconds: number;
  readonly credits_used: number;
  readonly user_turns: number;
  readonly agent_turns: number;
  readonly p50_latency_ms: number | null;
  readonly max_latency_ms: number | null;
}

/** What to sort by; summaries and recordings do not exist yet, so those orders are by time. */
const ORDER: Readonly<Record<HistoryQuery['sortBy'], string>> = {
  timestamp: 'called_at',
  agent: 'agent_name',
  call: 'call_id',
  duration: 'duration_seconds',
  credits: 'credits_used',
  summary: 'called_at',
  transcript: 'has_turns',
  recording: 'called_at',
};

/** Reads the list of an account's calls. */
export class CallHistoryRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async count(accountId: string, query: HistoryQuery): Promise<number> {
    const rows = await this.#filtered(accountId, query).count<{ count: number }[]>('*');
    return Number(rows[0]!.count);
  }

  async list(
    accountId: string,
    query: HistoryQuery,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<readonly HistoryRow[]> {
    const shown = this.#filtered(accountId, query)
      .select('*')
      .select(
        this.#db.raw('coalesce(started_at, created_at) as called_at'),
        this.#db.raw(
          `coalesce(extract(epoch from coalesce(ended_at, now()) - started_at), 0)::float8
           as duration_seconds`,
        ),
        this.#db.raw(
          'exists (select from call_turns t where t.call_id = calls.call_id) as has_turns',
        ),
      );
    const page = this.#db
      .from(shown.as('shown'))
      .orderBy([
        { column: ORDER[query.sortBy], order: query.sortDir },
        { column: 'called_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .limit(limit)
      .offset(offset);
    // Sums of turns are made for the page only.
    return this.#db
      .from(page.as('page'))
      .joinRaw(
        `left join lateral (
           select count(*) filter (where role = 'user')::int as user_turns,
             count(*) filter (where role = 'agent')::int as agent_turns,
             round(percentile_cont(0.5) within group (order by (latency ->> 'total')::float8))
               as p50_latency_ms,
             round(max((latency ->> 'total')::float8)) as max_latency_ms
           from call_turns where call_turns.call_id = page.call_id) turns on true`,
      )
      .orderBy([
        { column: ORDER[query.sortBy], order: query.sortDir },
        { column: 'called_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ]);
  }

  /** Calls that were only asked for and never began are no history. */
  #filtered(accountId: string, query: HistoryQuery): Knex.QueryBuilder {
    return this.#db('calls')
      .where({ account_id: accountId })
      .where((began) => began.whereNotNull('started_at').orWhere({ state: 'live' }))
      .modify((rows) => {
        const { startDate, endDate, agentIds, agentName } = query;
        // A call is asked for before it begins: the first comparison is by the index, and looser.
        const began = 'coalesce(started_at, created_at)';
        if (startDate) {
          rows.whereRaw(`created_at >= ?::timestamptz - interval '1 day'`, [startDate]);
          rows.whereRaw(`${began} >= ?`, [startDate]);
        }
        if (endDate) rows.where('created_at', '<=', endDate).whereRaw(`${began} <= ?`, [endDate]);
        if (agentIds) rows.whereIn(this.#db.raw('agent_id::text') as never, agentIds);
        if (agentName) rows.whereRaw('position(lower(?) in lower(agent_name)) > 0', [agentName]);
      });
  }
}
