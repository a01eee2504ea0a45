import type { Migration } from './migration.js';

/** UUIDs under which an Asterisk may bring a call's sound, each once. */
export const audiosocketCalls: Migration = {
  name: '0015-audiosocket-calls',
  async up(transaction) {
    await transaction.raw(`
    create table audiosocket_calls (
      uuid uuid primary key,
      call_id uuid not null unique references calls (call_id) on delete cascade,
      expires_at timestamptz(3) not null
    );
    create index audiosocket_calls_expiry on audiosocket_calls (expires_at);
  `);
  },
};
