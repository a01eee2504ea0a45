import type { Migration } from './migration.js';

export const agents: Migration = {
  name: '0004-agents',
  async up(transaction) {
    await transaction.raw(`
    create table agents (
      id uuid primary key,
      account_id uuid not null references accounts on delete cascade,
      name text not null check (name <> ''),
      config jsonb not null check (jsonb_typeof(config) = 'object'),
      kb_id integer references knowledge_bases on delete set null,
      status text not null default 'paused' check (status in ('deployed', 'paused', 'disabled')),
      version integer not null default 1,
      phone_number text generated always as (config ->> 'phone_number') stored,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    );
    -- order of lists: newest first, then by id
    create index agents_of_account on agents (account_id, created_at desc, id desc);
    create index agents_of_knowledge_base on agents (kb_id) where kb_id is not null;
    -- A number has one deployed agent per account; \`phone_numbers\` decides between accounts.
    create unique index agents_deployed_number on agents (phone_number, account_id)
      where status = 'deployed';
    comment on table agents is 'Voice agents with their settings.';
  `);
  },
};
