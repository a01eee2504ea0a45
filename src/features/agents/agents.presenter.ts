import type { AgentModels } from './agents.ports.js';
import type { Agent, AgentStatus } from './agents.repository.js';
import type { AgentBody } from './agents.schema.js';
import { toConfigOutput } from './config-output.js';

/** The number that stands for each status in answers. */
const STATUS_CODES: Readonly<Record<AgentStatus, number>> = {
  deployed: 10,
  paused: 1,
  disabled: 0,
};

/** Its ETag. A knowledge base that is deleted leaves its agents without their version growing. */
export function entityTagOf({ version, kbId }: Agent): string {
  return `"${version}-${kbId ?? 0}"`;
}

/** An agent as it is answered. */
export function toAgentBody(agent: Agent, models: AgentModels): AgentBody {
  return {
    agent_id: agent.id,
    name: agent.name,
    config: toConfigOutput(agent.config, models),
    created_at: agent.createdAt.toISOString(),
    updated_at: agent.updatedAt.toISOString(),
    status: agent.status,
    status_code: STATUS_CODES[agent.status],
    kb_id: agent.kbId,
  };
}
