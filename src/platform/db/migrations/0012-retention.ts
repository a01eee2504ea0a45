import type { Migration } from './migration.js';

export const retention: Migration = {
  name: '0012-retention',
  async up(transaction) {
    await transaction.raw(`
    create table retention_policies (
      id bigint generated always as identity primary key,
      account_id uuid not null references accounts on delete cascade,
      -- null: agents without their own policy; no foreign key, since it outlives the agent
      agent_id uuid,
      -- null: no limit
      audio_days integer check (audio_days between 0 and 36500),
      transcript_days integer check (transcript_days between 0 and 36500),
      updated_at timestamptz(3) not null default now()
    );
    create unique index retention_of_account on retention_policies (account_id)
      where agent_id is null;
    create unique index retention_of_agent on retention_policies (account_id, agent_id)
      where agent_id is not null;
    comment on table retention_policies is
      'How long transcripts and recordings of accounts and agents are stored.';

    create table deletion_receipts (
      id bigint generated always as identity primary key,
      account_id uuid not null references accounts on delete cascade,
      -- retention: by a policy; call, number: on request
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
    comment on table deletion_receipts is 'What each deletion of call data has deleted.';
  `);
  },
};
