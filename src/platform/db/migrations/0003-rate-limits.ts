import type { Migration } from './migration.js';

/**
 * The counters of rate-limiter-flexible, in the columns that it expects. Unlogged: a crash may
 * forget a minute's counts, and counting then costs no write to the log.
 */
export const rateLimits: Migration = {
  name: '0003-rate-limits',
  async up(transaction) {
    await transaction.raw(`
    create unlogged table rate_limits (
      key varchar(255) primary key,
      points integer not null default 0,
      expire bigint
    )`);
  },
};
