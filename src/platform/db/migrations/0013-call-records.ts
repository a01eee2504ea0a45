import type { Migration } from './migration.js';

/** Calls of one agent that end at once wait for each other half as often. */
const SHARDS = 2;

/**
 * What remains of a call, and lists of a million of them: what its tools did and its answers were
 * made from, its summary, the columns and indexes by which lists are sorted, and sums that are right
 * whoever writes, as triggers keep them.
 */
export const callRecords: Migration = {
  name: '0013-call-records',
  async up(transaction) {
    await transaction.raw(TURNS);
    await transaction.raw(COLUMNS);
    await transaction.raw(INDEXES);
    await transaction.raw(SUMS);
    await transaction.raw(countedBy('counted_new_calls', 'insert', NEW));
    await transaction.raw(countedBy('counted_changed_calls', 'update', `${NEW} union all ${OLD}`));
    await transaction.raw(COUNTED_GONE);
    await transaction.raw(`
    insert into call_day_sums ${dayDeltas('select 1 as sign, * from calls')};
    insert into call_quarter_sums ${quarterDeltas('select 1 as sign, * from calls')};
  `);
  },
};

const TURNS = `
    alter table call_turns
      -- null where there were none
      add column tools jsonb check (jsonb_typeof(tools) = 'array'),
      add column sources jsonb check (jsonb_typeof(sources) = 'array');
`;

const COLUMNS = `
    alter table calls
      add column transcription_summary text,
      -- when a summary that nobody has made by then is asked for again; null: none is wanted
      add column summary_due_at timestamptz(3),
      add column has_transcript boolean not null default false,
      add column has_recording boolean not null default false,
      -- one that was only asked for and never began is none
      add column is_history boolean not null
        generated always as (started_at is not null or state = 'live') stored,
      add column called_at timestamptz(3) not null
        generated always as (coalesce(started_at, created_at)) stored,
      -- of a call that is over; 0 until then
      add column duration_seconds double precision not null generated always as (
        coalesce(extract(epoch from ended_at - started_at), 0)::double precision) stored,
      add column summary_order text not null
        generated always as (coalesce(left(transcription_summary, 40), '')) stored;
    create index calls_without_summary on calls (summary_due_at) where summary_due_at is not null;

    create function note_transcripts() returns trigger language plpgsql as $$
      begin
        update calls set has_transcript = true
        where not has_transcript and call_id in (select call_id from new_turns);
        return null;
      end
    $$;
    create trigger call_turns_noted after insert on call_turns
      referencing new table as new_turns for each statement execute function note_transcripts();
    create function forget_transcripts() returns trigger language plpgsql as $$
      begin
        update calls set has_transcript = false, transcription_summary = null
        where call_id in (select call_id from old_turns)
          and not exists (select from call_turns where call_turns.call_id = calls.call_id);
        return null;
      end
    $$;
    create trigger call_turns_forgotten after delete on call_turns
      referencing old table as old_turns for each statement execute function forget_transcripts();
    update calls set has_transcript = true where call_id in (select call_id from call_turns);

    create function note_recordings() returns trigger language plpgsql as $$
      begin
        update calls set has_recording = new.state in ('spooled', 'ready')
        where call_id = new.call_id
          and has_recording is distinct from (new.state in ('spooled', 'ready'));
        return null;
      end
    $$;
    create trigger recordings_noted after insert or update on recordings
      for each row execute function note_recordings();
    create function forget_recordings() returns trigger language plpgsql as $$
      begin
        update calls set has_recording = false where call_id = old.call_id and has_recording;
        return null;
      end
    $$;
    create trigger recordings_forgotten after delete on recordings
      for each row execute function forget_recordings();
    update calls set has_recording = true
      where call_id in (select call_id from recordings where state in ('spooled', 'ready'));
`;

/** What lists are sorted by; those that are filtered by come along, so that no row is looked up for that. */
const INDEXES = `
    create index calls_by_time on calls (account_id, called_at, id)
      include (agent_id, agent_name) where is_history;
    create index calls_by_agent on calls (account_id, agent_id, called_at, id) where is_history;
    create index calls_by_agent_name on calls (account_id, agent_name, called_at, id)
      include (agent_id) where is_history;
    create index calls_by_call_id on calls (account_id, call_id, called_at, id)
      include (agent_id, agent_name) where is_history;
    create index calls_by_duration on calls (account_id, duration_seconds, called_at, id)
      include (agent_id, agent_name) where is_history;
    create index calls_by_credits on calls (account_id, credits_used, called_at, id)
      include (agent_id, agent_name) where is_history;
    create index calls_by_summary on calls (account_id, summary_order, called_at, id)
      include (agent_id, agent_name) where is_history;
    create index calls_by_transcript on calls (account_id, has_transcript, called_at, id)
      include (agent_id, agent_name) where is_history;
    create index calls_by_recording on calls (account_id, has_recording, called_at, id)
      include (agent_id, agent_name) where is_history;
`;

const SUMS = `
    -- how many calls that began on a day (UTC) are over
    create table call_day_sums (
      account_id uuid not null references accounts on delete cascade,
      day date not null,
      agent_id uuid not null,
      agent_name text not null,
      shard smallint not null,
      calls integer not null,
      primary key (account_id, day, agent_id, agent_name, shard)
    );
    -- the same by quarters of an hour, in which days begin everywhere
    create table call_quarter_sums (
      account_id uuid not null references accounts on delete cascade,
      quarter timestamptz(0) not null,
      shard smallint not null,
      calls integer not null,
      -- in whole numbers, which add up exactly and fast
      milliseconds bigint not null,
      microcredits bigint not null,
      primary key (account_id, quarter, shard)
    );
`;

const NEW = 'select 1 as sign, * from new_calls';
const OLD = 'select -1 as sign, * from old_calls';

const COUNTED = `where state = 'ended' and started_at is not null`;
const MILLISECONDS = 'sum(sign * round(duration_seconds * 1000)::bigint)';
const MICROCREDITS = 'sum(sign * (credits_used * 1000000)::bigint)';
const SHARD = `get_byte(uuid_send(call_id), 15) % ${SHARDS}`;

/** In the order of the key, so that those who change several never wait for each other in a ring. */
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

/** With an account its sums go, too, perhaps before its calls: nothing is made anew here. */
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
