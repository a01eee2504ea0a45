import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  CallHistoryRepository,
  type HistoryFilter,
  type HistoryQuery,
} from '../../../src/calls/history/call-history.repository.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';

const database = withDatabase();
const accountId = randomUUID();
const agentIds = [randomUUID()];

/** The query plan of a page. Plans without an index are disabled, because test tables are small. */
async function planOf(
  order: Pick<HistoryQuery, 'sortBy' | 'sortDir'>,
  filter: HistoryFilter,
): Promise<string> {
  const { db } = database;
  let query: { sql: string; bindings: unknown[] } | undefined;
  const capture = (executed: typeof query) => {
    query = executed;
  };
  const found = await new CallHistoryRepository(db).find(accountId, filter);
  db.on('query', capture);
  await found.list(order, { offset: 0, limit: 10 });
  db.off('query', capture);
  return db.transaction(async (transaction) => {
    for (const method of ['sort', 'seqscan', 'bitmapscan']) {
      await transaction.raw(`set local enable_${method} = off`);
    }
    const client = await transaction.client.acquireConnection();
    const { rows } = await client.query(`explain ${query!.sql}`, query!.bindings);
    return rows.map((row: { 'QUERY PLAN': string }) => row['QUERY PLAN']).join('\n');
  });
}

it.each([
  ['timestamp', {}, 'calls_by_time'],
  ['timestamp', { agentIds }, 'calls_by_agent'],
  ['agent', {}, 'calls_by_agent_name'],
  ['call', {}, 'calls_by_call_id'],
  ['duration', {}, 'calls_by_duration'],
  ['credits', {}, 'calls_by_credits'],
  ['transcript', {}, 'calls_by_transcript'],
] as const)(
  'a page sorted by %s with the filter %j uses an index',
  async (sortBy, filter, index) => {
    for (const sortDir of ['asc', 'desc'] as const) {
      const plan = await planOf({ sortBy, sortDir }, filter);
      expect(plan).toMatch(new RegExp(` using ${index} on calls`));
      // The joined page is sorted once more; a second sort would sort all calls.
      expect(plan.match(/Sort Key/g) ?? []).toHaveLength(1);
    }
  },
);
