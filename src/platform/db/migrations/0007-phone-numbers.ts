import type { Migration } from './migration.js';

/** The numbers that accounts have had from carriers. */
export const phoneNumbers: Migration = {
  name: '0007-phone-numbers',
  async up(transaction) {
    await transaction.raw(`
    create table phone_numbers (
      phone_number text primary key check (phone_number ~ '^\\+[1-9][0-9]{1,14}$'),
      account_id uuid not null references accounts on delete cascade,
      provider text not null check (provider in ('twilio', 'telnyx')),
      -- false while the carrier is asked: the slot is taken already
      is_ordered boolean not null default false,
      created_at timestamptz(3) not null default now()
    );
    create index phone_numbers_of_account on phone_numbers (account_id, created_at);
  `);
  },
};
