import type { Migration } from './migration.js';

/** Answers to requests with an `Idempotency-Key`, kept for repetitions of them. */
export const idempotency: Migration = {
  name: '0006-idempotency',
  async up(transaction) {
    await transaction.raw(`
    create table idempotent_answers (
      account_id uuid not null references accounts on delete cascade,
      key text not null,
      -- SHA-256 of what was asked: method, path and input
      request_hash bytea not null check (length(request_hash) = 32),
      -- sealed, as answers may hold secrets; null while the first request is served
      answer text,
      created_at timestamptz(3) not null default now(),
      primary key (account_id, key)
    );
    create index idempotent_answers_by_age on idempotent_answers (account_id, created_at desc);
    create index idempotent_answers_expiring on idempotent_answers (created_at);
  `);
  },
};
