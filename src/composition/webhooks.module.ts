import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { AgentsRepository } from '../features/agents/agents.repository.js';
import type { VoiceOverrides } from '../features/voices/voice-overrides.js';
import { DELIVER_JOB, DeliveriesRepository } from '../features/webhooks/deliveries.repository.js';
import { DeliveryWorker } from '../features/webhooks/delivery.worker.js';
import {
  InboundCallWebhooks,
  type InboundWebhooks,
} from '../features/webhooks/inbound-call-webhook.js';
import { WebhookDeliveryService } from '../features/webhooks/webhook-deliveries.service.js';
import type { WebhookOutboxPort } from '../features/webhooks/webhook-events.js';
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
  readonly agents: AgentsRepository;
  readonly overrides: VoiceOverrides;
  /** OUTBOUND_ALLOWED_HOSTS. */
  readonly allowedHosts: readonly string[];
  /** Delays between attempts, ms. */
  readonly backoffMs?: readonly number[];
  /** Interval between searches for attempts that are due, ms. Default: 5,000. */
  readonly pollMs?: number;
}

/** Webhooks of agents. */
export interface WebhooksModule {
  readonly routes: readonly Route[];
  readonly events: WebhookOutboxPort;
  readonly inboundWebhooks: InboundWebhooks;
  /** Sends requests to other addresses that users chose: tools, MCP servers. */
  readonly egress: EgressClient;
  /**
   * Starts to send, first the deliveries that an earlier process left.
   * @param isAlone - no other gateway can use this database, so deliveries in progress belong to a dead one
   */
  start(options: { readonly isAlone: boolean }): Promise<void>;
  close(): Promise<void>;
}

/** Concurrent deliveries in this gateway; a receiver that hangs holds one until its timeout. */
const CONCURRENCY = 16;
const SWEEP_MS = 5_000;
/** Time for the attempts in progress when the gateway stops. */
const FINISH_WITHIN_MS = 2_000;

/** Events can be recorded at once; they are sent after `start`. */
export function createWebhooksModule(parts: WebhooksParts): WebhooksModule {
  const { db, box, log, agents, overrides, allowedHosts, backoffMs, pollMs } = parts;
  const guard = new EgressGuard({ allowed: new AllowedHosts(allowedHosts) });
  const egress = new EgressClient(guard);
  const sender = new WebhookSender(egress, box);
  const deliveries = new DeliveriesRepository(db);
  const deliverer = new DeliveryWorker({
    agents,
    deliveries,
    sender,
    log,
    ...(backoffMs && { backoffMs }),
  });
  const tasks = { [DELIVER_JOB]: (payload: unknown) => deliverer.drain(laneInPayload(payload)) };
  let queue: JobQueue | undefined;
  const overdueSearch = new PeriodicTask({
    intervalMs: SWEEP_MS,
    run: () => deliveries.sweep(),
    onError: (error) =>
      log.warn(
        { err: error },
        'Cannot search for overdue webhook deliveries; the next search is in 5 s',
      ),
  });
  const tests = new WebhookTestService({ agents, sender, overrides });
  return {
    routes: webhookRoutes({
      tests,
      deliveries: new WebhookDeliveryService({ agents, deliveries }),
    }),
    inboundWebhooks: new InboundCallWebhooks({ sender, overrides, log }),
    events: new WebhookOutbox(agents, deliveries),
    egress,
    async start({ isAlone }) {
      if (isAlone) await deliveries.releaseAllClaims();
      queue = new JobQueue({ db, log, tasks, concurrency: CONCURRENCY, pollMs });
      overdueSearch.start();
    },
    async close() {
      const limit = setTimeout(() => void guard.close(), FINISH_WITHIN_MS);
      await overdueSearch.close();
      await queue?.close();
      clearTimeout(limit);
      await guard.close();
    },
  };
}

/** Only the repository adds jobs of this kind. */
function laneInPayload(payload: unknown): string {
  return String((payload as { readonly lane?: unknown }).lane);
}
