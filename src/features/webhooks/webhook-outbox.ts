import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { AgentsRepository } from '../agents/agents.repository.js';
import type { DeliveriesRepository, NewDelivery } from './deliveries.repository.js';
import type { WebhookEvent, WebhookOutboxPort } from './webhook-events.js';
import { eventBody, isSubscribed, withMoreData } from './webhook-events.js';
import { makeMessageId } from './webhook-sender.js';

/** Turns events of calls into deliveries, one per subscribed URL. */
export class WebhookOutbox implements WebhookOutboxPort {
  readonly #agents: AgentsRepository;
  readonly #deliveries: DeliveriesRepository;

  constructor(agents: AgentsRepository, deliveries: DeliveriesRepository) {
    this.#agents = agents;
    this.#deliveries = deliveries;
  }

  async record(transaction: Knex.Transaction, events: readonly WebhookEvent[]): Promise<void> {
    const agents = this.#agents.within(transaction);
    const deliveries: NewDelivery[] = [];
    for (const event of events) {
      const agent = await agents.find(event.accountId, event.agentId);
      const entries = agent?.config.webhooks?.events ?? [];
      const told = entries.filter((entry) => entry.enabled && isSubscribed(entry, event.event));
      for (const { url } of told) deliveries.push(toDelivery(event, url));
    }
    await this.#deliveries.add(transaction, deliveries);
  }

  async amend(
    transaction: Knex.Transaction,
    callId: string,
    { event, data }: Pick<WebhookEvent, 'event' | 'data'>,
  ): Promise<void> {
    await this.#deliveries.release(transaction, { callId, event }, (body) =>
      withMoreData(body, data),
    );
  }
}

function toDelivery(event: WebhookEvent, url: string): NewDelivery {
  return {
    delivery_id: makeMessageId(),
    account_id: event.accountId,
    agent_id: event.agentId,
    call_id: event.callId,
    event: event.event,
    url,
    lane: laneOf(event.callId, url),
    body: eventBody(event),
    hold_ms: event.holdMs ?? 0,
  };
}

/** Deliveries are ordered within one call and URL. A failing URL does not delay others. */
function laneOf(callId: string, url: string): string {
  return `${callId} ${createHash('sha256').update(url).digest('hex').slice(0, 16)}`;
}
