import type { Migration } from './migration.js';

export const accounts: Migration = {
  name: '0001-accounts',
  async up(transaction) {
    await transaction.raw(`
    create table accounts (
      id uuid primary key,
      name text not null,
      -- null: unlimited
      balance numeric(18, 6),
      price_per_1000_characters numeric(18, 6) not null default 0
        check (price_per_1000_characters >= 0),
      price_per_call_second numeric(18, 6) not null default 0
        check (price_per_call_second >= 0),
      created_at timestamptz(3) not null default now()
    );
    comment on table accounts is 'Accounts with their credits and prices.';

    create table api_keys (
      id integer generated always as identity primary key,
      account_id uuid not null references accounts on delete cascade,
      -- the public part of the key, by which it is looked up
      prefix text not null unique,
      -- SHA-256 of the whole key; the key itself is not stored
      hash bytea not null check (length(hash) = 32),
      name text not null,
      description text,
      scopes text[] not null,
      is_active boolean not null default true,
      created_at timestamptz(3) not null default now(),
      last_used_at timestamptz(3),
      expires_at timestamptz(3)
    );
    create index api_keys_of_account on api_keys (account_id, id);
    comment on table api_keys is 'API keys of accounts, as hashes.';
  `);
  },
};
