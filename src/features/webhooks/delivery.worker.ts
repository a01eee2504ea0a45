import type { Logger } from 'pino';
import type { AgentsRepository } from '../agents/agents.repository.js';
import type { StoredConfig } from '../agents/config/stored-config.js';
import type { StoredEventWebhook } from '../agents/config/webhook-settings.js';
import type { DeliveriesRepository, NextDelivery } from './deliveries.repository.js';
import {
  type DeliveryOutcome,
  deliveryOutcomeOf,
  deliveryOutcomeOfError,
} from './delivery-outcome.js';
import type { WebhookSender } from './webhook-sender.js';

export interface DeliveryWorkerParts {
  readonly agents: AgentsRepository;
  readonly deliveries: DeliveriesRepository;
  readonly sender: WebhookSender;
  readonly log: Logger;
  /** Delays before the second and later attempts, ms. Their number bounds the attempts. */
  readonly backoffMs?: readonly number[];
}

const BACKOFF_MS = [5_000, 30_000];
/** Random share of a delay, so that failed deliveries do not repeat at the same time. */
const JITTER = 0.25;
/** A claim lasts this much longer than the request timeout. */
const CLAIM_SLACK_MS = 10_000;

/** Sends the deliveries of the outbox. */
export class DeliveryWorker {
  readonly #parts: DeliveryWorkerParts;
  readonly #backoffMs: readonly number[];

  constructor(parts: DeliveryWorkerParts) {
    this.#parts = parts;
    this.#backoffMs = parts.backoffMs ?? BACKOFF_MS;
  }

  /** Sends all due deliveries of a lane in order, and schedules a job for the first that is not due. */
  async drain(lane: string): Promise<void> {
    const { deliveries } = this.#parts;
    for (;;) {
      const delivery = await deliveries.next(lane);
      // The gateway with the claim continues the lane.
      if (!delivery || delivery.is_claimed) return;
      if (delivery.wait_ms > 0) return deliveries.scheduleLane(lane, delivery.wait_ms);
      if (!(await this.#attempt(delivery))) return;
    }
  }

  /** Makes one attempt. @returns whether the lane may continue at once */
  async #attempt(delivery: NextDelivery): Promise<boolean> {
    const { deliveries, sender } = this.#parts;
    const target = await this.#targetOf(delivery);
    if (!target?.enabled) {
      const error = target ? 'The webhook is disabled' : 'The agent no longer has this webhook';
      await deliveries.finish(delivery.id, 'cancelled', { statusCode: null, error }, false);
      return true;
    }
    const isMine = await deliveries.claim(delivery.id, target.timeout * 1_000 + CLAIM_SLACK_MS);
    if (!isMine) return false;
    const { agent_id: agentId, delivery_id: id, body } = delivery;
    const outcome = await sender
      .send({ agentId, target, id, body })
      .then((answer) => deliveryOutcomeOf(answer, Date.now()), deliveryOutcomeOfError);
    return this.#settle(delivery, outcome);
  }

  async #settle(delivery: NextDelivery, outcome: DeliveryOutcome): Promise<boolean> {
    const { deliveries, log } = this.#parts;
    const { statusCode } = outcome;
    const fields = { deliveryId: delivery.delivery_id, event: delivery.event, statusCode };
    if (outcome.type === 'delivered') {
      await deliveries.finish(delivery.id, 'delivered', { statusCode, error: null }, true);
      log.debug(fields, 'Delivered a webhook');
      return true;
    }
    const result = { statusCode, error: outcome.reason };
    const backoffMs = this.#backoffMs[delivery.attempts];
    if (outcome.type === 'retry' && backoffMs !== undefined) {
      const jittered = backoffMs * (1 - JITTER + 2 * JITTER * Math.random());
      await deliveries.retry(
        delivery.id,
        delivery.lane,
        result,
        Math.max(jittered, outcome.afterMs),
      );
      return false;
    }
    if (outcome.type === 'failed' && outcome.isGone) await this.#disable(delivery);
    await deliveries.finish(delivery.id, 'failed', result, true);
    log.warn({ ...fields, reason: outcome.reason }, 'Cannot deliver a webhook');
    return true;
  }

  /** The current entry: its secret may have changed, or it may be deleted. */
  async #targetOf({
    account_id,
    agent_id,
    url,
  }: NextDelivery): Promise<StoredEventWebhook | undefined> {
    const agent = await this.#parts.agents.find(account_id, agent_id);
    return agent?.config.webhooks?.events?.find((entry) => entry.url === url);
  }

  /** Disables the entry of a receiver that responded with 410. */
  async #disable({ account_id, agent_id, url }: NextDelivery): Promise<void> {
    await this.#parts.agents.change(account_id, agent_id, ({ config }) => {
      const isOn = config.webhooks?.events?.some((entry) => entry.url === url && entry.enabled);
      return isOn ? { config: withEntryOff(config, url) } : {};
    });
    this.#parts.log.warn(
      { agentId: agent_id },
      'Disabled a webhook, because its receiver responded with 410',
    );
  }
}

function withEntryOff(config: StoredConfig, url: string): StoredConfig {
  const events = config.webhooks?.events?.map((entry) =>
    entry.url === url ? { ...entry, enabled: false } : entry,
  );
  return { ...config, webhooks: { ...config.webhooks, events } };
}
