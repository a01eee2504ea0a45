import { ApiError } from '../../platform/http/api-error.js';
import { type Route, type RouteResponse, route } from '../../platform/http/route.js';
import { pageOf } from '../../platform/http/validation/pagination.js';
import type { AgentsRepository } from '../agents/agents.repository.js';
import { loadAgent } from '../agents/load-agent.js';
import type { DeliveriesRepository, Delivery } from './deliveries.repository.js';
import type { WebhookTestService } from './webhook-test.service.js';
import {
  AgentPath,
  DeliveriesInput,
  DeliveryPage,
  DeliveryPath,
  TestEventInput,
  WebhookDelivery,
  WebhookTestResult,
} from './webhooks.schema.js';

const COMMON = { scope: 'agents', tag: 'Webhooks' } as const;
const NO_SUCH_WEBHOOK: RouteResponse = { description: 'No such agent, or it has no such webhook' };

export interface WebhookRouteParts {
  readonly agents: AgentsRepository;
  readonly deliveries: DeliveriesRepository;
  readonly tests: WebhookTestService;
}

/** `/agent/{agent_id}/webhook`: trying webhooks, and seeing what was sent. */
export function webhookRoutes(parts: WebhookRouteParts): readonly Route[] {
  return [...testRoutes(parts), ...deliveryRoutes(parts)];
}

function testRoutes({ tests }: WebhookRouteParts): readonly Route[] {
  return [
    route({
      ...COMMON,
      method: 'post',
      path: '/agent/{agent_id}/webhook/test-event',
      summary: 'Send the event test to one event webhook',
      params: AgentPath,
      body: TestEventInput,
      responses: {
        200: { description: 'What came of it, good or bad', schema: WebhookTestResult },
        404: NO_SUCH_WEBHOOK,
      },
      handle: ({ principal, params, body }) =>
        tests.testEvent(principal.accountId, params.agent_id, body.url),
    }),
    route({
      ...COMMON,
      method: 'post',
      path: '/agent/{agent_id}/webhook/test-inbound-call',
      summary: 'Ask the inbound_call webhook about a made-up call',
      description:
        'Strict: a variable without a placeholder in prompt or greeting, or an override that is not allowed, is a failed test. A live call ignores such a variable.',
      params: AgentPath,
      responses: {
        200: { description: 'What came of it, good or bad', schema: WebhookTestResult },
        404: NO_SUCH_WEBHOOK,
      },
      handle: ({ principal, params }) =>
        tests.testInboundCall(principal.accountId, params.agent_id),
    }),
  ];
}

function deliveryRoutes({ agents, deliveries }: WebhookRouteParts): readonly Route[] {
  const filterOf = async (accountId: string, agentId: string) => {
    const agent = await loadAgent(agents, accountId, agentId);
    return { accountId, agentId: agent.id };
  };
  return [
    route({
      ...COMMON,
      method: 'get',
      path: '/agent/{agent_id}/webhook/deliveries',
      summary: 'List what was and will be sent to event webhooks, the newest first',
      description: 'What is done with is kept for 30 days.',
      params: AgentPath,
      query: DeliveriesInput,
      responses: {
        200: { description: 'One page of deliveries', schema: DeliveryPage },
        404: { description: 'No such agent' },
      },
      async handle({ principal, params, query }) {
        const { status, event, call_id: callId } = query;
        const of = await filterOf(principal.accountId, params.agent_id);
        const filter = { ...of, status, event, callId };
        const page = pageOf(query, await deliveries.count(filter));
        const items = page.hasItems ? await deliveries.list(filter, page) : [];
        return { items: items.map(toBody), pagination: page.pagination };
      },
    }),
    route({
      ...COMMON,
      method: 'post',
      path: '/agent/{agent_id}/webhook/deliveries/{delivery_id}/replay',
      summary: 'Send an event once more, with the same id',
      description: 'A delivery that still waits is left as it is.',
      params: DeliveryPath,
      responses: {
        200: { description: 'The delivery, waiting again', schema: WebhookDelivery },
        404: { description: 'No such agent or delivery' },
      },
      async handle({ principal, params }) {
        const of = await filterOf(principal.accountId, params.agent_id);
        const delivery = await deliveries.replay(of, params.delivery_id);
        if (!delivery) throw new ApiError('DELIVERY_NOT_FOUND', 'The agent has no such delivery');
        return toBody(delivery);
      },
    }),
  ];
}

function toBody(delivery: Delivery): WebhookDelivery {
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
