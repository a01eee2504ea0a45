import type { Migration } from './migration.js';

/** Voice agents. Their config is one document; what the database must judge is a column of its own. */
export const agents: Migration = {
  name: '0002-agents',
  async up(transaction) {
    await transaction.raw(`
    create table agents (
      id uuid primary key,
      account_id uuid not null references accounts on delete cascade,
      name text not null check (name <> ''),
      config jsonb not null check (jsonb_typeof(config) = 'object'),
      kb_id integer,
      status text not null default 'paused' check (status in ('deployed', 'paused', 'disabled')),
      version integer not null default 1,
      phone_number text generated always as (config ->> 'phone_number') stored,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    );
    -- lists are newest first, ties by id
    create index agents_of_account on agents (account_id, created_at desc, id desc);
    -- one number rings at one deployed agent at the most
    create unique index agents_deployed_number on agents (phone_number) where status = 'deployed';
    create index agents_of_knowledge_base on agents (kb_id) where kb_id is not null;
  `);
  },
};
