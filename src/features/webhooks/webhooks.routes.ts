import { type Route, type RouteResponse, route } from '../../platform/http/route.js';
import { AgentPath } from '../agents/agents.schema.js';
import type { WebhookDeliveryService } from './webhook-deliveries.service.js';
import type { WebhookTestService } from './webhook-test.service.js';
import { presentDelivery } from './webhooks.presenter.js';
import {
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
  readonly tests: WebhookTestService;
  readonly deliveries: WebhookDeliveryService;
}

/** `/agent/{agent_id}/webhook`: tests of webhooks, and the list of deliveries. */
export function webhookRoutes({ tests, deliveries }: WebhookRouteParts): readonly Route[] {
  return [...testRoutes(tests), ...deliveryRoutes(deliveries)];
}

function testRoutes(tests: WebhookTestService): readonly Route[] {
  return [
    route({
      ...COMMON,
      method: 'post',
      path: '/agent/{agent_id}/webhook/test-event',
      summary: 'Send the event `test` to an event webhook',
      params: AgentPath,
      body: TestEventInput,
      responses: {
        200: {
          description: 'The result of the test, also if it failed',
          schema: WebhookTestResult,
        },
        404: NO_SUCH_WEBHOOK,
      },
      handle: ({ principal, params, body }) =>
        tests.testEvent(principal.accountId, params.agent_id, body.url),
    }),
    route({
      ...COMMON,
      method: 'post',
      path: '/agent/{agent_id}/webhook/test-inbound-call',
      summary: 'Test the inbound_call webhook with a fictitious call',
      description:
        'The test is strict. It fails for a variable without a placeholder in prompt or greeting, and for an override that is not allowed. A real call ignores such a variable.',
      params: AgentPath,
      responses: {
        200: {
          description: 'The result of the test, also if it failed',
          schema: WebhookTestResult,
        },
        404: NO_SUCH_WEBHOOK,
      },
      handle: ({ principal, params }) =>
        tests.testInboundCall(principal.accountId, params.agent_id),
    }),
  ];
}

function deliveryRoutes(deliveries: WebhookDeliveryService): readonly Route[] {
  return [
    route({
      ...COMMON,
      method: 'get',
      path: '/agent/{agent_id}/webhook/deliveries',
      summary: 'List the deliveries to event webhooks, newest first',
      description: 'Finished deliveries are stored for 30 days.',
      params: AgentPath,
      query: DeliveriesInput,
      responses: {
        200: { description: 'One page of deliveries', schema: DeliveryPage },
        404: { description: 'No such agent' },
      },
      async handle({ principal, params, query }) {
        const { status, event, call_id: callId } = query;
        const agent = { accountId: principal.accountId, agentId: params.agent_id };
        const page = await deliveries.list({ ...agent, status, event, callId }, query);
        return { items: page.items.map(presentDelivery), pagination: page.pagination };
      },
    }),
    route({
      ...COMMON,
      method: 'post',
      path: '/agent/{agent_id}/webhook/deliveries/{delivery_id}/replay',
      summary: 'Repeat a delivery with the same id',
      description: 'A pending delivery stays unchanged.',
      params: DeliveryPath,
      responses: {
        200: { description: 'The delivery, pending again', schema: WebhookDelivery },
        404: { description: 'No such agent or delivery' },
      },
      async handle({ principal, params }) {
        const agent = { accountId: principal.accountId, agentId: params.agent_id };
        return presentDelivery(await deliveries.replay(agent, params.delivery_id));
      },
    }),
  ];
}
