import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { AgentLatencyRepository } from '../calls/dashboard/agent-latency.repository.js';
import { agentLatencyRoutes } from '../calls/dashboard/agent-latency.routes.js';
import { DashboardRepository } from '../calls/dashboard/dashboard.repository.js';
import { dashboardRoutes } from '../calls/dashboard/dashboard.routes.js';
import type { CallEventRecorder } from '../calls/history/call-event-recorder.js';
import { CallHistoryRepository } from '../calls/history/call-history.repository.js';
import { callHistoryRoutes } from '../calls/history/call-history.routes.js';
import type { SummariesRepository } from '../calls/history/summaries.repository.js';
import { SummaryService } from '../calls/history/summaries.service.js';
import type { LlmRegistry } from '../calls/providers/llm-registry.js';
import type { CallTurnsRepository } from '../calls/store/call-turns.repository.js';
import type { AgentsRepository } from '../features/agents/agents.repository.js';

export interface CallHistoryParts {
  readonly db: Knex;
  readonly agents: AgentsRepository;
  readonly turns: CallTurnsRepository;
  readonly summaries: SummariesRepository;
  readonly eventRecorder: CallEventRecorder;
  readonly llmRegistry: Pick<LlmRegistry, 'get'>;
  readonly log: Logger;
}

/** The summaries of calls, the call history and the dashboard. */
export function createCallHistoryModule(parts: CallHistoryParts) {
  const { db, agents, summaries: repository, eventRecorder: events } = parts;
  const summaries = new SummaryService({ ...parts, repository, events });
  return {
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
