import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { HeldEvents } from '../calls/store/call-events.js';
import { AgentsRepository } from '../features/agents/agents.repository.js';
import type { VoiceOverrides } from '../features/voices/voice-overrides.js';
import { DELIVER_JOB, DeliveriesRepository } from '../features/webhooks/deliveries.repository.js';
import { DeliveryWorker } from '../features/webhooks/delivery.worker.js';
import {
  type InboundCalls,
  InboundCallWebhooks,
} from '../features/webhooks/inbound-call-webhook.js';
import { WebhookDeliveryService } from '../features/webhooks/webhook-deliveries.service.js';
import { WebhookOutbox } from '../features/webhooks/webhook-outbox.js';
import { WebhookSender } from '../features/webhooks/webhook-sender.js';
import { WebhookTestService } from '../features/webhooks/webhook-test.service.js';
import { webhookRoutes } from '../features/webhooks/webhooks.routes.js';
import { AllowedHosts } from '../platform/egress/allowed-hosts.js';
import { EgressClient } from '../platform/egress/egress-client.js';
import { EgressGuard } from '../platform/egress/egress-guard.js';
import type { Route } from '../platform/http/route.js';
import { JobQueue } from '../platform/jobs/job-queue.js';
import { PeriodicTask } from '../platform/jobs/periodic-task.js';
import type { SecretBox } from '../platform/secrets/secret-box.js';

export interface WebhooksParts {
  readonly db: Knex;
  readonly box: SecretBox;
  readonly log: Logger;
  readonly overrides: VoiceOverrides;
  /** OUTBOUND_ALLOWED_HOSTS. */
  readonly allowedHosts: readonly string[];
  /** Waits between tries, ms. */
  readonly backoffMs?: readonly number[];
}

/** Everything about webhooks, put together. */
export interface OpenWebhooks {
  readonly routes: readonly Route[];
  readonly events: HeldEvents;
  readonly inboundCalls: InboundCalls;
  /** For whoever else calls addresses that users chose: tools, MCP. */
  readonly outbound: EgressClient;
  /**
   * Starts sending, beginning with what a kill left.
   * @param isAlone no other gateway can be on this database: what is being sent, a dead one was sending.
   */
  start(options: { readonly isAlone: boolean }): Promise<void>;
  close(): Promise<void>;
}

/** Deliveries at once in this gateway; a receiver that hangs holds one for its timeout. */
const CONCURRENCY = 16;
const SWEEP_MS = 5_000;
/** Tries that run at a stop may go on for so long. */
const FINISH_WITHIN_MS = 2_000;

/** Puts webhooks together: events can be written down at once, and are sent after `start`. */
export function openWebhooks(parts: WebhooksParts): OpenWebhooks {
  const { db, box, log, overrides, allowedHosts, backoffMs } = parts;
  const guard = new EgressGuard({ allowed: new AllowedHosts(allowedHosts) });
  const outbound = new EgressClient(guard);
  const sender = new WebhookSender(outbound, box);
  const deliveries = new DeliveriesRepository(db);
  const agents = new AgentsRepository(db);
  const deliverer = new DeliveryWorker({
    agents,
    deliveries,
    sender,
    log,
    ...(backoffMs && { backoffMs }),
  });
  const tasks = { [DELIVER_JOB]: (payload: unknown) => deliverer.drain(laneOf(payload)) };
  let queue: JobQueue | undefined;
  const sweep = new PeriodicTask({
    intervalMs: SWEEP_MS,
    run: () => deliveries.sweep(),
    onError: (error) => log.warn({ err: error }, 'webhooks could not be swept'),
  });
  const tests = new WebhookTestService({ agents, sender, overrides });
  return {
    routes: webhookRoutes({
      tests,
      deliveries: new WebhookDeliveryService({ agents, deliveries }),
    }),
    inboundCalls: new InboundCallWebhooks({ sender, overrides, log }),
    events: new WebhookOutbox(deliveries),
    outbound,
    async start({ isAlone }) {
      if (isAlone) await deliveries.releaseAllClaims();
      queue = new JobQueue({ db, log, tasks, concurrency: CONCURRENCY });
      sweep.start();
    },
    async close() {
      const cut = setTimeout(() => void guard.close(), FINISH_WITHIN_MS);
      await sweep.close();
      await queue?.close();
      clearTimeout(cut);
      await guard.close();
    },
  };
}

/** Jobs of this kind are written by the repository alone. */
function laneOf(payload: unknown): string {
  return String((payload as { readonly lane?: unknown }).lane);
}
