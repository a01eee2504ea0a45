import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { AgentsRepository } from '../agents/agents.repository.js';
import type { HeldEvents } from '../calls/call-events.js';
import type { VoiceOverrides } from '../calls/voice-overrides.js';
import type { Route } from '../http/route.js';
import { JobQueue } from '../jobs/job-queue.js';
import { AllowedHosts } from '../outbound/allowed-hosts.js';
import { OutboundClient } from '../outbound/outbound-client.js';
import { OutboundGuard } from '../outbound/outbound-guard.js';
import type { SecretBox } from '../secrets/secret-box.js';
import { Deliverer } from './deliverer.js';
import { DELIVER_JOB, DeliveriesRepository } from './deliveries.repository.js';
import { type InboundCalls, InboundCallWebhooks } from './inbound-calls.js';
import { WebhookOutbox } from './outbox.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookTests } from './webhook-tests.js';
import { webhookRoutes } from './webhooks.routes.js';

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
  readonly outbound: OutboundClient;
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
  const guard = new OutboundGuard({ allowed: new AllowedHosts(allowedHosts) });
  const outbound = new OutboundClient(guard);
  const sender = new WebhookSender(outbound, box);
  const deliveries = new DeliveriesRepository(db);
  const agents = new AgentsRepository(db);
  const deliverer = new Deliverer({
    agents,
    deliveries,
    sender,
    log,
    ...(backoffMs && { backoffMs }),
  });
  const tasks = { [DELIVER_JOB]: (payload: unknown) => deliverer.drain(laneOf(payload)) };
  let queue: JobQueue | undefined;
  let sweeping: NodeJS.Timeout | undefined;
  const sweep = () => {
    deliveries.sweep().catch((error) => log.warn({ err: error }, 'webhooks could not be swept'));
  };
  const tests = new WebhookTests({ agents, sender, overrides });
  return {
    routes: webhookRoutes({ agents, deliveries, tests }),
    inboundCalls: new InboundCallWebhooks({ sender, overrides, log }),
    events: new WebhookOutbox(deliveries),
    outbound,
    async start({ isAlone }) {
      if (isAlone) await deliveries.forgetClaims();
      queue = new JobQueue({ db, log, tasks, concurrency: CONCURRENCY });
      sweeping = setInterval(sweep, SWEEP_MS);
    },
    async close() {
      clearInterval(sweeping);
      const cut = setTimeout(() => void guard.close(), FINISH_WITHIN_MS);
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
