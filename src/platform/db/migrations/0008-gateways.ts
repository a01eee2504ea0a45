import type { Migration } from './migration.js';

export const gateways: Migration = {
  name: '0008-gateways',
  async up(transaction) {
    await transaction.raw(`
    create table gateways (
      id uuid primary key,
      -- where other gateways reach this one: host:port
      address text,
      started_at timestamptz(3) not null default now(),
      seen_at timestamptz(3) not null default now()
    );
    comment on table gateways is 'Running gateways with their heartbeats.';
  `);
  },
};
