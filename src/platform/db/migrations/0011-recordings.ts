import type { Migration } from './migration.js';

export const recordings: Migration = {
  name: '0011-recordings',
  async up(transaction) {
    await transaction.raw(`
    create table recordings (
      call_id uuid primary key references calls (call_id) on delete cascade,
      -- recording: a gateway writes a spool; spooled: the storage has the whole spool;
      -- ready: the storage has the mixed file; lost: nothing playable exists; deleted: on request
      state text not null default 'recording'
        check (state in ('recording', 'spooled', 'ready', 'lost', 'deleted')),
      duration_ms integer,
      -- size of the mixed file
      bytes bigint,
      -- the gateway that mixes it, and the end of its lease
      merging_by uuid,
      merging_until timestamptz(3),
      changed_at timestamptz(3) not null default now()
    );
    comment on table recordings is 'States of the recordings of calls.';
  `);
  },
};
