import type { Migration } from './migration.js';

/** Finds calls that clients asked for and never came to. */
export const unbegunCalls: Migration = {
  name: '0020-unbegun-calls',
  async up(transaction) {
    await transaction.raw(`
    create index calls_unbegun on calls (created_at)
      where call_type = 'web' and started_at is null;
  `);
  },
};
