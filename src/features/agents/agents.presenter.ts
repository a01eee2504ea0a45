import type { z } from 'zod';
import { type Agent, type AgentStatus, STATUS_CODES } from './agent.model.js';
import type { AgentModels, SipProvisioning } from './agents.ports.js';
import type { AgentResponse, DeployedAgent, StatsSummary } from './agents.schema.js';
import { AGENT_SETTINGS } from './config/agent-settings.js';
import { presentSettings, type SettingModels } from './config/settings-table.js';

/** The ETag of an agent. Deleting its knowledge base changes the tag, but not the version. */
export function entityTagOf({ version, kbId }: Agent): string {
  return `"${version}-${kbId ?? 0}"`;
}

export function presentAgent(agent: Agent, models: SettingModels): AgentResponse {
  return {
    agent_id: agent.id,
    name: agent.name,
    config: presentSettings(AGENT_SETTINGS, agent.config, models),
    created_at: agent.createdAt.toISOString(),
    updated_at: agent.updatedAt.toISOString(),
    status: agent.status,
    status_code: STATUS_CODES[agent.status],
    kb_id: agent.kbId,
  };
}

export function presentDeployedAgent(
  agent: Agent,
  sip: SipProvisioning | undefined,
  models: AgentModels,
): z.output<typeof DeployedAgent> {
  return { agent: presentAgent(agent, models), message: deployedMessage(agent, models), ...sip };
}

/** Names the LLM that answers if the agent has none or an unavailable one. */
function deployedMessage({ config }: Agent, { llmModels, defaultLlmModel }: AgentModels): string {
  const message = 'The agent is deployed and takes calls';
  const own = config.llm_model;
  if (!own) {
    return `${message}. It has no llm_model: the default model, now ${defaultLlmModel}, answers, and another one does when the default changes`;
  }
  if (llmModels.some(({ id }) => id === own)) return message;
  return `${message}, but no language server has its model ${own} now: ${defaultLlmModel} answers instead (GET /api/v1/models lists the models)`;
}

export function presentStatusCounts(
  counts: Readonly<Record<AgentStatus, number>>,
): z.output<typeof StatsSummary> {
  return {
    total_agents: counts.deployed + counts.paused + counts.disabled,
    status_summary: counts,
  };
}
