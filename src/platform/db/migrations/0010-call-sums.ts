import type { Migration } from './migration.js';

/** Two rows per sum halve the lock waits of an agent's calls that end at the same time. */
const SHARDS = 2;

/** Sums for the history's totals and the dashboard. Triggers keep them exact. */
export const callSums: Migration = {
  name: '0010-call-sums',
  async up(transaction) {
    await transaction.raw(SUMS);
    await transaction.raw(countedBy('counted_new_calls', 'insert', NEW));
    await transaction.raw(countedBy('counted_changed_calls', 'update', `${NEW} union all ${OLD}`));
    await transaction.raw(COUNTED_GONE);
  },
};

const SUMS = `
    create table call_day_sums (
      account_id uuid not null references accounts on delete cascade,
      day date not null,
      agent_id uuid not null,
      agent_name text not null,
      shard smallint not null,
      calls integer not null,
      primary key (account_id, day, agent_id, agent_name, shard)
    );
    comment on table call_day_sums is 'Ended calls per UTC day, agent and shard.';

    create table call_quarter_sums (
      account_id uuid not null references accounts on delete cascade,
      quarter timestamptz(0) not null,
      shard smallint not null,
      calls integer not null,
      -- integers, whose sums are exact
      milliseconds bigint not null,
      microcredits bigint not null,
      primary key (account_id, quarter, shard)
    );
    comment on table call_quarter_sums is
      'Ended calls per 15 minutes and shard. Days begin at a quarter of an hour in every time zone.';
`;

const NEW = 'select 1 as sign, * from new_calls';
const OLD = 'select -1 as sign, * from old_calls';

const COUNTED = `where state = 'ended' and started_at is not null`;
const MILLISECONDS = 'sum(sign * round(duration_seconds * 1000)::bigint)';
const MICROCREDITS = 'sum(sign * (credits_used * 1000000)::bigint)';
const SHARD = `get_byte(uuid_send(call_id), 15) % ${SHARDS}`;

/** Ordered by the primary key, so that concurrent transactions cannot deadlock. */
function dayDeltas(changed: string): string {
  return `
        select account_id, (started_at at time zone 'UTC')::date, agent_id, agent_name,
          ${SHARD}, sum(sign)
        from (${changed}) changed ${COUNTED}
        group by 1, 2, 3, 4, 5 having sum(sign) <> 0 order by 1, 2, 3, 4, 5`;
}

function quarterDeltas(changed: string): string {
  return `
        select account_id, date_bin('15 minutes', started_at, 'epoch'), ${SHARD},
          sum(sign), ${MILLISECONDS}, ${MICROCREDITS}
        from (${changed}) changed ${COUNTED}
        group by 1, 2, 3
        having sum(sign) <> 0 or ${MILLISECONDS} <> 0 or ${MICROCREDITS} <> 0
        order by 1, 2, 3`;
}

function countedBy(name: string, event: 'insert' | 'update', changed: string): string {
  const tables =
    event === 'insert' ? 'new table as new_calls' : 'old table as old_calls new table as new_calls';
  return `
    create function ${name}() returns trigger language plpgsql as $$
      begin
        insert into call_day_sums as sums ${dayDeltas(changed)}
        on conflict (account_id, day, agent_id, agent_name, shard)
          do update set calls = sums.calls + excluded.calls;
        insert into call_quarter_sums as sums ${quarterDeltas(changed)}
        on conflict (account_id, quarter, shard) do update set
          calls = sums.calls + excluded.calls,
          milliseconds = sums.milliseconds + excluded.milliseconds,
          microcredits = sums.microcredits + excluded.microcredits;
        return null;
      end
    $$;
    create trigger ${name} after ${event} on calls
      referencing ${tables} for each statement execute function ${name}();
  `;
}

/** Only updates: if an account is deleted, its sums may be deleted before its calls. */
const COUNTED_GONE = `
    create function counted_gone_calls() returns trigger language plpgsql as $$
      begin
        update call_day_sums as sums set calls = sums.calls + gone.calls
        from (${dayDeltas(OLD)}) gone (account_id, day, agent_id, agent_name, shard, calls)
        where (sums.account_id, sums.day, sums.agent_id, sums.agent_name, sums.shard)
          = (gone.account_id, gone.day, gone.agent_id, gone.agent_name, gone.shard);
        update call_quarter_sums as sums set calls = sums.calls + gone.calls,
          milliseconds = sums.milliseconds + gone.milliseconds,
          microcredits = sums.microcredits + gone.microcredits
        from (${quarterDeltas(OLD)})
          gone (account_id, quarter, shard, calls, milliseconds, microcredits)
        where (sums.account_id, sums.quarter, sums.shard)
          = (gone.account_id, gone.quarter, gone.shard);
        return null;
      end
    $$;
    create trigger counted_gone_calls after delete on calls
      referencing old table as old_calls for each statement execute function counted_gone_calls();
  `;
