import { type Route, route } from '../../platform/http/route.js';
import { dateTime } from '../../platform/http/validation/date-time.js';
import { PAGE_FIELDS, Pagination, pageOf } from '../../platform/http/validation/pagination.js';
import {
  anyDict,
  bool,
  float,
  int,
  list,
  model,
  oneOf,
  str,
} from '../../platform/http/validation/schema-builders.js';
import {
  type CallHistoryRepository,
  HISTORY_SORTS,
  type HistoryRow,
} from './call-history.repository.js';

/** Fixed by the public API. */
const HISTORY_LIMIT = 10;

const HistoryInput = model({
  ...PAGE_FIELDS,
  start_date: dateTime().optional(),
  end_date: dateTime({ isEnd: true }).optional(),
  agent_ids: list(str({ max: 64 }), { max: 100 }).optional(),
  agent_name: str({ max: 255 }).optional(),
  sort_by: oneOf(HISTORY_SORTS).optional(),
  sort_dir: oneOf(['asc', 'desc']).optional(),
});

const HistoryItem = model({
  id: int(),
  call_id: str(),
  agent_id: str(),
  agent_name: str(),
  call_timestamp: str({ format: 'date-time' }),
  call_duration_seconds: float(),
  credits_used: float(),
  has_transcript: bool(),
  call_type: str(),
  status: str(),
  ended_reason: str().nullable(),
  from_number: str().nullable(),
  to_number: str().nullable(),
  transcription_summary: str().nullable(),
  transcription_stats: anyDict().nullable(),
}).meta({ id: 'CallHistoryItem' });

const HistoryPage = model({ items: list(HistoryItem), pagination: Pagination }).meta({
  id: 'CallHistory',
});

/** `/agent/call-history`. */
export function callHistoryRoutes(history: CallHistoryRepository): readonly Route[] {
  return [
    route({
      tag: 'Calls',
      scope: 'analytics',
      method: 'get',
      path: '/agent/call-history',
      summary: 'List calls, the newest first',
      query: HistoryInput,
      responses: { 200: { description: 'One page of calls', schema: HistoryPage } },
      async handle({ principal: { accountId }, query }) {
        const found = await history.find(accountId, {
          startDate: query.start_date,
          endDate: query.end_date,
          agentIds: query.agent_ids,
          agentName: query.agent_name,
        });
        const order = {
          sortBy: query.sort_by ?? 'timestamp',
          sortDir: query.sort_dir ?? 'desc',
        } as const;
        const page = pageOf(query, await found.count(), HISTORY_LIMIT);
        const rows = page.hasItems ? await found.list(order, page) : [];
        return { items: rows.map(toItem), pagination: page.pagination };
      },
    }),
  ];
}

function toItem(row: HistoryRow) {
  const turns = row.user_turns + row.agent_turns;
  return {
    id: row.id,
    call_id: row.call_id,
    agent_id: row.agent_id,
    agent_name: row.agent_name,
    call_timestamp: row.called_at.toISOString(),
    call_duration_seconds: row.seconds,
    credits_used: Number(row.credits_used),
    has_transcript: row.has_transcript,
    call_type: row.call_type,
    status: row.state === 'ended' ? 'ended' : 'in_progress',
    ended_reason: row.ended_reason,
    from_number: row.from_number,
    to_number: row.to_number,
    transcription_summary: row.transcription_summary,
    transcription_stats:
      turns === 0
        ? null
        : {
            user_turns: row.user_turns,
            agent_turns: row.agent_turns,
            p50_latency_ms: row.p50_latency_ms,
            max_latency_ms: row.max_latency_ms,
          },
  };
}
