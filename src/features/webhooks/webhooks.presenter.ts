import type { Delivery } from './deliveries.repository.js';
import type { WebhookDelivery } from './webhooks.schema.js';

/** The body of a delivery. */
export function presentDelivery(delivery: Delivery): WebhookDelivery {
  const isPending = delivery.status === 'pending';
  return {
    delivery_id: delivery.delivery_id,
    event: delivery.event as WebhookDelivery['event'],
    call_id: delivery.call_id,
    url: delivery.url,
    status: delivery.status,
    attempts: delivery.attempts,
    last_status_code: delivery.last_status_code,
    last_error: delivery.last_error,
    created_at: delivery.created_at.toISOString(),
    next_attempt_at: isPending ? delivery.due_at.toISOString() : null,
    finished_at: delivery.finished_at?.toISOString() ?? null,
  };
}
