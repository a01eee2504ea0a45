import type { Migration } from './migration.js';

export const phoneNumbers: Migration = {
  name: '0007-phone-numbers',
  async up(transaction) {
    await transaction.raw(`
    create table phone_numbers (
      phone_number text primary key check (phone_number ~ '^\\+[1-9][0-9]{1,14}$'),
      account_id uuid not null references accounts on delete cascade,
      -- null: not ordered from a carrier
      provider text check (provider in ('twilio', 'telnyx')),
      -- false while the carrier processes the order, which already counts towards the limit
      is_ordered boolean not null default false,
      -- by the operator, or by a deployment in an installation with one account
      is_assigned boolean not null default false,
      created_at timestamptz(3) not null default now(),
      constraint phone_numbers_source check (provider is not null or is_assigned)
    );
    create index phone_numbers_of_account on phone_numbers (account_id, created_at);
    comment on table phone_numbers is
      'Owners of phone numbers: accounts that ordered them or to which they were assigned.';
  `);
  },
};
