import type { Migration } from './migration.js';

/** What gateways ask of the one that holds a call, until that one has taken it up. */
export const callCommandService: Migration = {
  name: '0011-call-commands',
  async up(transaction) {
    await transaction.raw(`
    create table call_commands (
      id bigint generated always as identity primary key,
      call_id uuid not null references calls (call_id) on delete cascade,
      command jsonb not null,
      created_at timestamptz(3) not null default now()
    );
    create index call_commands_of_call on call_commands (call_id, id);
  `);
  },
};
