import type { Migration } from './migration.js';

export const calls: Migration = {
  name: '0009-calls',
  async up(transaction) {
    await transaction.raw(CALLS);
    await transaction.raw(CALL_INDEXES);
    await transaction.raw(TURNS);
    await transaction.raw(AUDIOSOCKET_CALLS);
  },
};

const CALLS = `
    create table calls (
      id bigint generated always as identity primary key,
      call_id uuid not null unique,
      account_id uuid not null references accounts on delete cascade,
      agent_id uuid not null,
      -- the name at the time of the call
      agent_name text not null,
      call_type text not null check (call_type in ('web', 'sip_inbound', 'sip_outbound')),
      -- reserved: occupies a slot until reserved_until; live: media is being connected or flows
      state text not null default 'reserved'
        check (state in ('reserved', 'live', 'ended')),
      reserved_until timestamptz(3) not null,
      gateway_id uuid,
      -- from the client: dynamic_variables and agent_overrides
      options jsonb not null default '{}',
      from_number text,
      to_number text,
      created_at timestamptz(3) not null default now(),
      started_at timestamptz(3),
      ended_at timestamptz(3),
      ended_reason text,
      credits_used numeric(18, 6) not null default 0,
      transcription_summary text,
      -- when a missing summary is requested again; null: no summary is due
      summary_due_at timestamptz(3),
      has_transcript boolean not null default false,
      -- when retention or a request deleted the transcript and the recording
      words_deleted_at timestamptz(3),
      audio_deleted_at timestamptz(3),
      -- false: reserved, but never started
      is_history boolean not null
        generated always as (started_at is not null or state = 'live') stored,
      called_at timestamptz(3) not null
        generated always as (coalesce(started_at, created_at)) stored,
      -- 0 until the call has ended
      duration_seconds double precision not null generated always as (
        coalesce(extract(epoch from ended_at - started_at), 0)::double precision) stored,
      check ((state = 'ended') = (ended_at is not null))
    );
    comment on table calls is 'Calls from their reservation to their deletion.';
`;

/** `calls_by_*` serve the sorts of the history; the included columns serve its filters. */
const CALL_INDEXES = `
    create index calls_of_account on calls (account_id, created_at desc, id desc);
    create index calls_of_agent on calls (agent_id, created_at desc);
    -- occupied slots
    create index calls_open on calls (account_id) where state <> 'ended';
    create index calls_unbegun on calls (created_at)
      where call_type = 'web' and started_at is null;
    create index calls_without_summary on calls (summary_due_at) where summary_due_at is not null;
    create index calls_with_words on calls (account_id, ended_at)
      where state = 'ended' and words_deleted_at is null;
    create index calls_with_audio on calls (account_id, ended_at)
      where state = 'ended' and audio_deleted_at is null;
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
    create index calls_by_transcript on calls (account_id, has_transcript, called_at, id)
      include (agent_id, agent_name) where is_history;
`;

const TURNS = `
    create table call_turns (
      call_id uuid not null references calls (call_id) on delete cascade,
      index integer not null,
      role text not null check (role in ('user', 'agent')),
      text text not null,
      cut boolean not null,
      start_ms integer not null,
      end_ms integer not null,
      latency jsonb,
      -- null: none
      tools jsonb check (jsonb_typeof(tools) = 'array'),
      sources jsonb check (jsonb_typeof(sources) = 'array'),
      -- the STT, LLM and TTS providers of the turn
      providers jsonb check (jsonb_typeof(providers) = 'object'),
      primary key (call_id, index)
    );
    comment on table call_turns is 'Transcripts of calls by turns.';

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
`;

const AUDIOSOCKET_CALLS = `
    create table audiosocket_calls (
      uuid uuid primary key,
      call_id uuid not null unique references calls (call_id) on delete cascade,
      expires_at timestamptz(3) not null
    );
    create index audiosocket_calls_expiry on audiosocket_calls (expires_at);
    comment on table audiosocket_calls is
      'UUIDs with which Asterisk connects the audio of calls; each is valid once.';
`;
