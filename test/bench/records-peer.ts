import type { Knex } from 'knex';
import type { HistoryFilter } from '../../src/calls/history/call-history.repository.js';

/** A page and its total in the simplest form: count the rows, sort the rows. */
export async function plainPage(
  db: Knex,
  accountId: string,
  filter: HistoryFilter,
  sortColumn: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<number> {
  const filtered = () =>
    db('calls')
      .where({ account_id: accountId })
      .whereRaw(`(started_at is not null or state = 'live')`)
      .modify((rows: Knex.QueryBuilder) => {
        const { startDate, endDate, agentIds, agentName } = filter;
        if (startDate) rows.where('called_at', '>=', startDate);
        if (endDate) rows.where('called_at', '<=', endDate);
        if (agentIds) rows.whereIn('agent_id', [...agentIds]);
        if (agentName) rows.whereRaw('position(lower(?) in lower(agent_name)) > 0', [agentName]);
      });
  const [counted] = await filtered().count<{ count: number }[]>('* as count');
  const columns = [...new Set([sortColumn, 'called_at', 'id'])];
  await filtered()
    .select('*')
    .orderBy(columns.map((column) => ({ column, order: 'desc' })))
    .limit(limit)
    .offset(offset);
  return Number(counted!.count);
}

/** The dashboard's days, computed from the call rows. */
export async function plainDays(db: Knex, accountId: string, timeZone: string): Promise<void> {
  await db.raw(
    `select (called_at at time zone :timeZone)::date, count(*), sum(credits_used),
       sum(duration_seconds)
     from calls where account_id = :accountId and started_at is not null
       and called_at > now() - interval '90 days' group by 1 order by 1`,
    { accountId, timeZone },
  );
}
