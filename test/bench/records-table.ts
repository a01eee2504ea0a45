import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { AccountsRepository } from '../../src/features/auth/accounts.repository.js';

/** Agents of the account: the first has most of the calls, the last only a few. */
const AGENTS = 20;
const TURNS_A_CALL = 2;

export interface FilledTable {
  readonly accountId: string;
  /** Sorted by number of calls, descending. */
  readonly agentIds: readonly string[];
}

/** The indexes for sorted lists, as defined in the schema. */
export async function historyIndexes(db: Knex): Promise<ReadonlyMap<string, string>> {
  const rows: { indexname: string; indexdef: string }[] = await db('pg_indexes')
    .where({ tablename: 'calls' })
    .whereLike('indexname', 'calls_by_%');
  return new Map(rows.map(({ indexname, indexdef }) => [indexname, indexdef]));
}

/**
 * Creates an account with `calls` ended calls over 90 days. The indexes of the table are created
 * later. Triggers compute the sums as for any other row.
 */
export async function fillTable(db: Knex, calls: number): Promise<FilledTable> {
  const accountId = await new AccountsRepository(db).insert('Bench');
  const agentIds = Array.from({ length: AGENTS }, () => randomUUID());
  await db.transaction(async (transaction) => {
    await transaction.raw('set local statement_timeout = 0');
    await transaction.raw('select setseed(0.5)');
    await transaction.raw(
      `insert into calls (call_id, account_id, agent_id, agent_name, call_type, state, reserved_until,
         created_at, started_at, ended_at, ended_reason, credits_used, has_transcript,
         transcription_summary)
       select gen_random_uuid(), :accountId, (:agentIds::uuid[])[1 + agent], 'Agent ' || chr(65 + agent),
         'web', 'ended', began, began - interval '3 s', began, began + seconds * interval '1 s',
         'user_hangup', round((seconds * 0.0025)::numeric, 6), chance < 0.95,
         case when chance < 0.9 then 'The caller asked about order ' || (chance * 1e6)::int end
       from (
         select now() - interval '1 hour' - random() * interval '89 days' as began,
           round((5 - 120 * ln(1 - random()))::numeric, 3)::float8 as seconds,
           floor(${AGENTS} * power(random(), 2))::int as agent, random() as chance
         from generate_series(1, :calls)
       ) made`,
      { accountId, agentIds, calls },
    );
    // The rows already contain what the turns' trigger would set.
    await transaction.raw('alter table call_turns disable trigger user');
    await transaction.raw(
      `insert into call_turns (call_id, index, role, text, cut, start_ms, end_ms, latency)
       select call_id, index, case when index % 2 = 0 then 'agent' else 'user' end,
         'We are open from nine to six, and on Saturdays until noon.', false, index * 4000,
         index * 4000 + 3000,
         case when index % 2 = 0 then '{"total": 800}'::jsonb end
       from calls, generate_series(0, ${TURNS_A_CALL - 1}) index where has_transcript`,
    );
    await transaction.raw('alter table call_turns enable trigger user');
  });
  return { accountId, agentIds };
}
