import { AgentPath } from '../../features/agents/agents.schema.js';
import { loadAgent } from '../../features/agents/load-agent.js';
import { type Route, route } from '../../platform/http/route.js';
import { float, int, model, str } from '../../platform/http/validation/schema-builders.js';
import {
  type AgentLatency,
  type AgentLatencyRepository,
  MEASURED,
} from './agent-latency.repository.js';

const DEFAULT_DAYS = 7;
const MAX_DAYS = 90;

const Percentiles = model({
  p50: float().nullable(),
  p95: float().nullable(),
  p99: float().nullable(),
}).meta({ id: 'Percentiles' });

const LatencySummary = model({
  agent_id: str(),
  days: int(),
  turns: int(),
  ...(Object.fromEntries(MEASURED.map((part) => [part, Percentiles])) as Record<
    (typeof MEASURED)[number],
    typeof Percentiles
  >),
}).meta({ id: 'AgentLatency' });

export interface AgentLatencyRouteParts {
  readonly latencies: AgentLatencyRepository;
  readonly agents: { find(accountId: string, id: string): Promise<object | undefined> };
}

/** `/agent/{agent_id}/latency`. */
export function agentLatencyRoutes({
  latencies,
  agents,
}: AgentLatencyRouteParts): readonly Route[] {
  return [
    route({
      tag: 'Calls',
      scope: 'analytics',
      method: 'get',
      path: '/agent/{agent_id}/latency',
      summary: 'Response latency of an agent',
      description:
        'Percentiles in ms over the newest 10,000 turns of the last days. The latency is the time from the last sample of the caller’s speech to the first sample of the answer that is played. The parts of one turn add up to its total; percentiles do not add up.',
      params: AgentPath,
      query: model({ days: int({ ge: 1, le: MAX_DAYS }).optional() }),
      responses: {
        200: { description: 'The percentiles of each part', schema: LatencySummary },
        404: { description: 'No such agent' },
      },
      async handle({ principal, params, query }) {
        const { agent_id: id } = params;
        await loadAgent(agents, principal.accountId, id);
        const days = query.days ?? DEFAULT_DAYS;
        return { agent_id: id, days, ...toBody(await latencies.find(id, days)) };
      },
    }),
  ];
}

function toBody({ turns, ...parts }: AgentLatency) {
  const percentiles = MEASURED.map((part) => {
    const [p50 = null, p95 = null, p99 = null] = parts[part] ?? [];
    return [part, { p50, p95, p99 }] as const;
  });
  return { turns, ...Object.fromEntries(percentiles) };
}
