import type { Migration } from './migration.js';

/** Where gateways reach each other, answers to commands, how long what remains of calls is kept. */
export const liveAndRetention: Migration = {
  name: '0014-live-and-retention',
  async up(transaction) {
    await transaction.raw(`
    -- where the other gateways reach this one: host:port
    alter table gateways add column address text;

    create table call_command_answers (
      command_id uuid primary key,
      answer text not null,
      created_at timestamptz(3) not null default now()
    );

    -- when the policy, or a person, has had them deleted; the call's row says that there was a call
    alter table calls
      add column words_deleted_at timestamptz(3),
      add column audio_deleted_at timestamptz(3);
    create index calls_with_words on calls (account_id, ended_at)
      where state = 'ended' and words_deleted_at is null;
    create index calls_with_audio on calls (account_id, ended_at)
      where state = 'ended' and audio_deleted_at is null;
    create index webhook_deliveries_of_call on webhook_deliveries (call_id);

    create table retention_policies (
      id bigint generated always as identity primary key,
      account_id uuid not null references accounts on delete cascade,
      -- null: of all agents without one of their own; it outlives its agent
      agent_id uuid,
      -- null: kept for ever
      audio_days integer check (audio_days between 0 and 36500),
      transcript_days integer check (transcript_days between 0 and 36500),
      updated_at timestamptz(3) not null default now()
    );
    create unique index retention_of_account on retention_policies (account_id)
      where agent_id is null;
    create unique index retention_of_agent on retention_policies (account_id, agent_id)
      where agent_id is not null;

    create table deletion_receipts (
      id bigint generated always as identity primary key,
      account_id uuid not null references accounts on delete cascade,
      -- why: by the policy, or on request
      cause text not null check (cause in ('retention', 'call', 'number')),
      agent_id uuid,
      audio_days integer,
      transcript_days integer,
      calls integer not null default 0,
      turns integer not null default 0,
      recordings integer not null default 0,
      recording_bytes bigint not null default 0,
      webhook_deliveries integer not null default 0,
      begun_at timestamptz(3) not null default now(),
      finished_at timestamptz(3)
    );
    create index deletion_receipts_of_account on deletion_receipts (account_id, id desc);
  `);
  },
};
