import type { Migration } from './migration.js';

/**
 * An idempotency key belongs to the API key or JWT that sent it, not to the whole account. Stored
 * answers do not say who asked, so they are dropped: replaying them to any key of the account is
 * what this prevents.
 */
export const idempotencyPrincipals: Migration = {
  name: '0023-idempotency-principals',
  async up(transaction) {
    await transaction.raw(`
    delete from idempotent_answers;
    alter table idempotent_answers
      -- \`key:<API key id>\`, or \`jwt:<scopes>\` of a JWT whose subject is the account
      add column principal text not null,
      drop constraint idempotent_answers_pkey,
      add primary key (account_id, principal, key);
  `);
  },
};
