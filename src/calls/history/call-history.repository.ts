import type { Knex } from 'knex';
import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import { isUuid } from '../../platform/http/validation/schema-builders.js';

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

export interface HistoryFilter {
  readonly startDate?: Date | undefined;
  readonly endDate?: Date | undefined;
  readonly agentIds?: readonly string[] | undefined;
  /** Part of the agent's name, case-insensitive. */
  readonly agentName?: string | undefined;
}

export interface HistoryQuery extends HistoryFilter {
  readonly sortBy: (typeof HISTORY_SORTS)[number];
  readonly sortDir: 'asc' | 'desc';
}

/** One call of the history, with the totals of its turns. */
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
  /** For a running call: until now. */
  readonly seconds: number;
  readonly credits_used: number;
  readonly has_transcript: boolean;
  readonly transcription_summary: string | null;
  readonly user_turns: number;
  readonly agent_turns: number;
  readonly p50_latency_ms: number | null;
  readonly max_latency_ms: number | null;
}

/**
 * SQL of the sort keys; a running call counts as 0 s. Each has an index, except `summary` and
 * `recording`: these sort all calls of the account, since an index would cost a write per call.
 */
const SORT_KEYS: Readonly<Record<HistoryQuery['sortBy'], string>> = {
  timestamp: 'calls.called_at',
  agent: 'calls.agent_name',
  call: 'calls.call_id',
  duration: 'calls.duration_seconds',
  credits: 'calls.credits_used',
  summary: `coalesce(left(calls.transcription_summary, 40), '')`,
  transcript: 'calls.has_transcript',
  recording: `exists (select from recordings
    where recordings.call_id = calls.call_id and recordings.state in ('spooled', 'ready'))`,
};

/** A filter whose agent name was replaced by the names that match, so that it is compared once and not for each call. */
interface Filter {
  readonly accountId: string;
  readonly startDate: Date | undefined;
  readonly endDate: Date | undefined;
  readonly agentIds: readonly string[] | undefined;
  readonly agentNames: readonly string[] | undefined;
}

/**
 * Reads the list of an account's calls. Indexes serve the filters and sorts, and the sums of days
 * the total, so the cost of a page does not depend on the number of calls.
 */
export class CallHistoryRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** The calls that a filter selects, prepared once for the count and the page. */
  async find(accountId: string, filter: HistoryFilter): Promise<FoundCalls> {
    const { agentName } = filter;
    return new FoundCalls(this.#db, {
      accountId,
      startDate: filter.startDate,
      endDate: filter.endDate,
      agentIds: filter.agentIds?.filter(isUuid),
      agentNames: agentName
        ? await namesOf(this.#db, accountId, (agents) =>
            agents.whereRaw('position(lower(?) in lower(agent_name)) > 0', [agentName]),
          )
        : undefined,
    });
  }
}

/** The names that agents had at the time of their calls. */
async function namesOf(
  db: Knex,
  accountId: string,
  which: (agents: Knex.QueryBuilder) => void,
): Promise<readonly string[]> {
  const live = db('calls').where({ account_id: accountId, state: 'live' }).modify(which);
  const names: string[] = await db('call_day_sums')
    .where({ account_id: accountId })
    .modify(which)
    .union(live.select('agent_name'))
    .pluck('agent_name');
  return names;
}

/** The calls that a filter selects. */
export class FoundCalls {
  readonly #db: Knex;
  readonly #filter: Filter;

  constructor(db: Knex, filter: Filter) {
    this.#db = db;
    this.#filter = filter;
  }

  /**
   * The exact number. Whole past days are counted from their totals; the rest of the first and the last day and
   * running calls are counted from the calls.
   */
  async count(): Promise<number> {
    const { accountId, startDate, endDate } = this.#filter;
    if (startDate && endDate && startDate > endDate) return 0;
    const [from, to] = wholeDays(startDate, endDate);
    if (from !== undefined && to !== undefined && from >= to) {
      const rows = await this.#calls().count<{ count: number }[]>('* as count');
      return Number(rows[0]!.count);
    }
    const days = this.#ofAgents(this.#db('call_day_sums').where({ account_id: accountId }))
      .modify((rows: Knex.QueryBuilder) => {
        if (from) rows.where('day', '>=', dayOf(from));
        if (to) rows.where('day', '<', dayOf(to));
      })
      .select(this.#db.raw('coalesce(sum(calls), 0)::bigint'));
    const live = this.#calls().where({ state: 'live' }).count('*');
    const parts = [days, this.#between(live, from, to)];
    if (from) parts.push(this.#calls().where('called_at', '<', from).count('*'));
    if (to) parts.push(this.#calls().where('called_at', '>=', to).count('*'));
    // One statement, so that all parts are counted at the same moment.
    const { rows } = await this.#db.raw<{ rows: { count: number }[] }>(
      `select ${parts.map(() => '(?)').join(' + ')} as count`,
      parts,
    );
    return Number(rows[0]!.count);
  }

  /** Calls with equal keys are sorted by time. Ascending order is the exact reverse of descending order. */
  async list(
    { sortBy, sortDir }: Pick<HistoryQuery, 'sortBy' | 'sortDir'>,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<readonly HistoryRow[]> {
    const keys = [...new Set([SORT_KEYS[sortBy], 'calls.called_at', 'calls.id'])];
    const order = keys.map((key) => `${key} ${sortDir}`).join(', ');
    const page = this.#calls().select('id').orderByRaw(order).limit(limit).offset(offset);
    if (sortBy === 'agent') await this.#nameAgents(page);
    // The other columns and the totals of turns are read for the page only.
    return this.#db
      .from(page.as('page'))
      .join('calls', 'calls.id', 'page.id')
      .joinRaw(
        `left join lateral (
           select count(*) filter (where role = 'user')::int as user_turns,
             count(*) filter (where role = 'agent')::int as agent_turns,
             round(percentile_cont(0.5) within group (order by (latency ->> 'total')::float8))
               as p50_latency_ms,
             round(max((latency ->> 'total')::float8)) as max_latency_ms
           from call_turns where call_turns.call_id = calls.call_id) turns on true`,
      )
      .select(
        'calls.*',
        'turns.*',
        this.#db.raw(
          `coalesce(extract(epoch from coalesce(ended_at, now()) - started_at), 0)::float8
             as seconds`,
        ),
      )
      .orderByRaw(order);
  }

  /** For an order by name, an index serves calls of a few names only if the names are listed. */
  async #nameAgents(page: Knex.QueryBuilder): Promise<void> {
    const { accountId, agentIds, agentNames } = this.#filter;
    if (!agentIds || agentNames) return;
    const names = await namesOf(this.#db, accountId, (agents) =>
      isOneOf(agents, 'agent_id', agentIds),
    );
    isOneOf(page, 'agent_name', names);
  }

  #calls(): Knex.QueryBuilder {
    const { accountId, startDate, endDate } = this.#filter;
    return this.#ofAgents(this.#db('calls').where({ account_id: accountId }))
      .whereRaw('is_history')
      .modify((rows: Knex.QueryBuilder) => {
        if (startDate) rows.where('called_at', '>=', startDate);
        if (endDate) rows.where('called_at', '<=', endDate);
      });
  }

  #between(rows: Knex.QueryBuilder, from: Date | undefined, to: Date | undefined) {
    if (from) rows.where('called_at', '>=', from);
    if (to) rows.where('called_at', '<', to);
    return rows;
  }

  #ofAgents(rows: Knex.QueryBuilder): Knex.QueryBuilder {
    const { agentIds, agentNames } = this.#filter;
    if (agentIds) isOneOf(rows, 'agent_id', agentIds);
    if (agentNames) isOneOf(rows, 'agent_name', agentNames);
    return rows;
  }
}

/** A single value is compared with `=`, because only then does an index also serve the order. */
function isOneOf(
  rows: Knex.QueryBuilder,
  column: 'agent_id' | 'agent_name',
  values: readonly string[],
): void {
  const type = column === 'agent_id' ? 'uuid' : 'text';
  if (values.length === 1) rows.where(column, values[0]!);
  else rows.whereRaw(`${column} = any(?::${type}[])`, [[...values]]);
}

const DAY_MS = 86_400_000;

/** The whole UTC days between two moments: from the first day until before the second day. */
function wholeDays(
  start: Date | undefined,
  end: Date | undefined,
): readonly [Date | undefined, Date | undefined] {
  const from = start && new Date(Math.ceil(start.getTime() / DAY_MS) * DAY_MS);
  const to = end && new Date(Math.floor(end.getTime() / DAY_MS) * DAY_MS);
  return [from, to];
}

function dayOf(midnight: Date): string {
  return midnight.toISOString().slice(0, 10);
}
