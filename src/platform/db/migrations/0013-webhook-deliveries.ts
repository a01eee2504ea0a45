import type { Migration } from './migration.js';

export const webhookDeliveries: Migration = {
  name: '0013-webhook-deliveries',
  async up(transaction) {
    await transaction.raw(`
    create table webhook_deliveries (
      id bigint generated always as identity primary key,
      -- the webhook-id header of every attempt
      delivery_id text not null unique,
      account_id uuid not null references accounts on delete cascade,
      agent_id uuid not null,
      call_id uuid,
      event text not null,
      url text not null,
      -- deliveries of a lane are sent one after the other, ordered by id
      lane text not null,
      -- the signed bytes
      body text not null,
      status text not null default 'pending'
        check (status in ('pending', 'delivered', 'failed', 'cancelled')),
      attempts integer not null default 0,
      due_at timestamptz(3) not null default now(),
      -- a gateway sends it until then; later, that gateway is considered dead
      claimed_until timestamptz(3),
      last_status_code integer,
      last_error text,
      created_at timestamptz(3) not null default now(),
      finished_at timestamptz(3),
      check ((status = 'pending') = (finished_at is null))
    );
    create index webhook_deliveries_pending on webhook_deliveries (lane, id)
      where status = 'pending';
    create index webhook_deliveries_of_agent on webhook_deliveries (agent_id, id desc);
    create index webhook_deliveries_of_call on webhook_deliveries (call_id);
    create index webhook_deliveries_finished on webhook_deliveries (finished_at)
      where status <> 'pending';
    comment on table webhook_deliveries is 'Outbox of webhook events, one row per receiver.';
  `);
  },
};
