import type { Migration } from './migration.js';

/** Gateways with their heartbeats, calls from connection to end, and their turns as heard. */
export const calls: Migration = {
  name: '0004-calls',
  async up(transaction) {
    await transaction.raw(`
    create table gateways (
      id uuid primary key,
      started_at timestamptz(3) not null default now(),
      seen_at timestamptz(3) not null default now()
    );

    create table calls (
      id bigint generated always as identity primary key,
      call_id uuid not null unique,
      account_id uuid not null references accounts on delete cascade,
      agent_id uuid not null,
      -- as it was at the time of the call
      agent_name text not null,
      call_type text not null check (call_type in ('web', 'sip_inbound', 'sip_outbound')),
      -- reserved: a slot is held until reserved_until; live: media is being connected or flows
      state text not null default 'reserved'
        check (state in ('reserved', 'live', 'ended')),
      reserved_until timestamptz(3) not null,
      gateway_id uuid,
      -- what the client sent along: dynamic_variables and agent_overrides
      options jsonb not null default '{}',
      from_number text,
      to_number text,
      created_at timestamptz(3) not null default now(),
      started_at timestamptz(3),
      ended_at timestamptz(3),
      ended_reason text,
      credits_used numeric(18, 6) not null default 0,
      check ((state = 'ended') = (ended_at is not null))
    );
    create index calls_of_account on calls (account_id, created_at desc, id desc);
    create index calls_of_agent on calls (agent_id, created_at desc);
    -- the slots that are taken
    create index calls_open on calls (account_id) where state <> 'ended';

    create table call_turns (
      call_id uuid not null references calls (call_id) on delete cascade,
      index integer not null,
      role text not null check (role in ('user', 'agent')),
      text text not null,
      cut boolean not null,
      start_ms integer not null,
      end_ms integer not null,
      latency jsonb,
      primary key (call_id, index)
    );
  `);
  },
};
