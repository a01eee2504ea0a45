import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { AgentLatencyRepository } from '../calls/dashboard/agent-latency.repository.js';
import { agentLatencyRoutes } from '../calls/dashboard/agent-latency.routes.js';
import { DashboardRepository } from '../calls/dashboard/dashboard.repository.js';
import { dashboardRoutes } from '../calls/dashboard/dashboard.routes.js';
import { CallCompletedEvents } from '../calls/history/call-completed-events.js';
import { CallHistoryRepository } from '../calls/history/call-history.repository.js';
import { callHistoryRoutes } from '../calls/history/call-history.routes.js';
import { SummariesRepository } from '../calls/history/summaries.repository.js';
import { SummaryService } from '../calls/history/summaries.service.js';
import type { LlmRegistry } from '../calls/providers/llm-registry.js';
import { CallTurnsRepository } from '../calls/store/call-turns.repository.js';
import { CallsRepository } from '../calls/store/calls.repository.js';
import type { LimitSettings } from '../config/limits.settings.js';
import type { AgentsRepository } from '../features/agents/agents.repository.js';
import type { WebhookOutboxPort } from '../features/webhooks/webhook-events.js';
import { SignedLinks } from '../platform/http/signed-links.js';
import type { SecretKeys } from '../platform/secrets/secret-keys.js';

export interface CallHistoryParts {
  readonly config: LimitSettings;
  readonly db: Knex;
  readonly secrets: SecretKeys;
  readonly agents: AgentsRepository;
  readonly events: WebhookOutboxPort;
  readonly llmRegistry: Pick<LlmRegistry, 'get'>;
  readonly log: Logger;
  /** `http(s)://host[:port]`; undefined where no absolute URL is known. */
  readonly origin: () => string | undefined;
}

/** Calls, their turns and summaries, the call history and the dashboard. */
export function createCallHistoryModule(parts: CallHistoryParts) {
  const { config, db, agents } = parts;
  const links = new SignedLinks(parts.secrets);
  const repository = new SummariesRepository(db);
  const events = new CallCompletedEvents({ ...parts, summaries: repository, links });
  const calls = new CallsRepository(db, config.CONCURRENT_CALLS, events);
  const turns = new CallTurnsRepository(db, events);
  const summaries = new SummaryService({ ...parts, repository, turns, events });
  return {
    calls,
    turns,
    links,
    routes: [
      ...callHistoryRoutes(new CallHistoryRepository(db)),
      ...agentLatencyRoutes({ latencies: new AgentLatencyRepository(db), agents }),
      ...dashboardRoutes(new DashboardRepository(db)),
    ],
    /** Starts to write summaries of ended calls. */
    start: () => summaries.start(),
    close: () => summaries.close(),
  };
}
