import type { Migration } from './migration.js';

/** Who heard, wrote and spoke a turn. */
export const turnProviders: Migration = {
  name: '0019-turn-providers',
  async up(transaction) {
    await transaction.raw(`
    alter table call_turns
      add column providers jsonb check (jsonb_typeof(providers) = 'object');
  `);
  },
};
