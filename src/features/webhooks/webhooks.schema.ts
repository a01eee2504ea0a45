import type { z } from 'zod';
import { PAGE_FIELDS, Pagination } from '../../platform/http/validation/pagination.js';
import {
  anyDict,
  int,
  list,
  model,
  oneOf,
  str,
} from '../../platform/http/validation/schema-builders.js';
import { EVENT_NAMES } from '../agents/config/agent-webhooks.schema.js';
import { DELIVERY_STATUSES } from './deliveries.repository.js';

export const DeliveryPath = model({ agent_id: str(), delivery_id: str() });

export const TestEventInput = model({
  url: str({ max: 2_048, description: 'The url of one of the event webhooks of the agent.' }),
}).meta({ id: 'TestEventInput' });

export const WebhookTestResult = model({
  status: oneOf(['success', 'failed']),
  message: str(),
  webhook_url: str(),
  request_payload: anyDict(),
  raw_response: anyDict().meta({
    description: 'The response of the webhook; empty if it is not an object.',
  }),
  validated_response: anyDict(),
  error: str({ description: 'Only if the test failed.' }).optional(),
}).meta({ id: 'WebhookTestResult' });
export type WebhookTestResult = z.output<typeof WebhookTestResult>;

export const DeliveriesInput = model({
  ...PAGE_FIELDS,
  status: oneOf(DELIVERY_STATUSES).optional(),
  event: oneOf(EVENT_NAMES).optional(),
  call_id: str({ max: 64 }).optional(),
});

export const WebhookDelivery = model({
  delivery_id: str({ description: 'The `webhook-id` of every attempt.' }),
  event: oneOf(EVENT_NAMES),
  call_id: str().nullable(),
  url: str(),
  status: oneOf(DELIVERY_STATUSES),
  attempts: int(),
  last_status_code: int().nullable(),
  last_error: str().nullable(),
  created_at: str({ format: 'date-time' }),
  next_attempt_at: str({ format: 'date-time' }).nullable(),
  finished_at: str({ format: 'date-time' }).nullable(),
}).meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.output<typeof WebhookDelivery>;

export const DeliveryPage = model({ items: list(WebhookDelivery), pagination: Pagination }).meta({
  id: 'WebhookDeliveryPage',
});
