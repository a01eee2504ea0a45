import type { Migration } from './migration.js';

/** What remains of a call beside its words: what its tools did, and what its answers were made from. */
export const callRecords: Migration = {
  name: '0013-call-records',
  async up(transaction) {
    await transaction.raw(`
    alter table call_turns
      -- null where there were none
      add column tools jsonb check (jsonb_typeof(tools) = 'array'),
      add column sources jsonb check (jsonb_typeof(sources) = 'array');
  `);
  },
};
