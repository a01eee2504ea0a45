import { type Agent, STATUS_CODES } from './agent.model.js';
import type { AgentBody } from './agents.schema.js';
import { AGENT_SETTINGS } from './config/agent-settings.js';
import { presentSettings, type SettingModels } from './config/settings-table.js';

/** The ETag of an agent. Deleting its knowledge base changes the tag, but not the version. */
export function entityTagOf({ version, kbId }: Agent): string {
  return `"${version}-${kbId ?? 0}"`;
}

/** The response body of an agent. */
export function toAgentBody(agent: Agent, models: SettingModels): AgentBody {
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
