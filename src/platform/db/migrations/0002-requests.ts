import type { Migration } from './migration.js';

export const requests: Migration = {
  name: '0002-requests',
  async up(transaction) {
    await transaction.raw(`
    -- The columns are those of rate-limiter-flexible. Unlogged: counting then writes no WAL, and a
    -- crash loses the counts of a minute.
    create unlogged table rate_limits (
      key varchar(255) primary key,
      points integer not null default 0,
      expire bigint
    );
    comment on table rate_limits is 'Counters of rate limits.';

    create table idempotent_answers (
      account_id uuid not null references accounts on delete cascade,
      -- \`key:<API key id>\`, or \`jwt:<scopes>\` of a JWT whose subject is the account
      principal text not null,
      key text not null,
      -- SHA-256 of the method, path and input
      request_hash bytea not null check (length(request_hash) = 32),
      -- encrypted, as it may contain secrets; null while the first request runs
      answer text,
      created_at timestamptz(3) not null default now(),
      primary key (account_id, principal, key)
    );
    create index idempotent_answers_by_age on idempotent_answers (account_id, created_at desc);
    create index idempotent_answers_expiring on idempotent_answers (created_at);
    comment on table idempotent_answers is
      'Responses to requests with an Idempotency-Key, for retries of them.';
  `);
  },
};
