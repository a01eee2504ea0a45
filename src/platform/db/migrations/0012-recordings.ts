import type { Migration } from './migration.js';

/** What is stored of the sound of calls. Its rows outlive no call. */
export const recordings: Migration = {
  name: '0012-recordings',
  async up(transaction) {
    await transaction.raw(`
    create table recordings (
      call_id uuid primary key references calls (call_id) on delete cascade,
      -- recording: a gateway writes a spool; spooled: the whole spool is in the store;
      -- ready: the merged file is in the store; lost: nothing playable is left; deleted: on purpose
      state text not null default 'recording'
        check (state in ('recording', 'spooled', 'ready', 'lost', 'deleted')),
      duration_ms integer,
      -- of the merged file
      bytes bigint,
      -- who merges it now, until when unless the lease is renewed
      merging_by uuid,
      merging_until timestamptz(3),
      changed_at timestamptz(3) not null default now()
    );
  `);
  },
};
