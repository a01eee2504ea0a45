import { type PageQuery, readPage } from '../../platform/http/validation/pagination.js';
import type { AgentsRepository } from '../agents/agents.repository.js';
import { loadAgent } from '../agents/load-agent.js';
import { throwNotFound } from '../ownership/throw-not-found.js';
import type { DeliveriesRepository, Delivery, DeliveryFilter } from './deliveries.repository.js';

/** Lists and repeats the deliveries of an agent's event webhooks. */
export class WebhookDeliveryService {
  readonly #agents: AgentsRepository;
  readonly #deliveries: DeliveriesRepository;

  constructor(parts: {
    readonly agents: AgentsRepository;
    readonly deliveries: DeliveriesRepository;
  }) {
    this.#agents = parts.agents;
    this.#deliveries = parts.deliveries;
  }

  /** @throws ApiError AGENT_NOT_FOUND */
  async list(filter: DeliveryFilter, query: PageQuery) {
    const found = await this.#existing(filter);
    return readPage(query, {
      count: () => this.#deliveries.count(found),
      read: (page) => this.#deliveries.list(found, page),
    });
  }

  /**
   * Sends a finished delivery again, with the same id. A pending delivery stays unchanged.
   * @throws ApiError AGENT_NOT_FOUND, DELIVERY_NOT_FOUND
   */
  async replay(filter: DeliveryFilter, deliveryId: string): Promise<Delivery> {
    const found = await this.#existing(filter);
    return (await this.#deliveries.replay(found, deliveryId)) ?? throwNotFound('delivery');
  }

  async #existing(filter: DeliveryFilter): Promise<DeliveryFilter> {
    const { id } = await loadAgent(this.#agents, filter.accountId, filter.agentId);
    return { ...filter, agentId: id };
  }
}
