import { z } from 'zod';
import { PAGE_FIELDS, Pagination } from '../../platform/http/validation/pagination.js';
import { int, list, model, oneOf, str } from '../../platform/http/validation/schema-builders.js';
import { AGENT_STATUSES } from './agent.model.js';
import { AgentConfigInput, AgentConfigOutput } from './config/agent-config.schema.js';

const agentName = () => str({ min: 1, max: 255 });
const agentStatus = () => oneOf(AGENT_STATUSES);

export const CreateAgent = model({
  name: agentName(),
  config: AgentConfigInput,
  kb_id: int().nullable().optional(),
}).meta({ id: 'CreateAgent' });
export type CreateAgent = z.output<typeof CreateAgent>;

export const UpdateAgent = model({
  name: agentName().optional(),
  config: AgentConfigInput.optional(),
  kb_id: int().nullable().optional(),
}).meta({
  id: 'UpdateAgent',
  description:
    'Missing fields stay unchanged, null clears a field, arrays replace. `tts_params` and `webhooks` are merged field by field.',
});
export type UpdateAgent = z.output<typeof UpdateAgent>;

/** Any text is accepted: an unknown id is answered with 404, not 422. */
export const AgentPath = model({ agent_id: str() });

export const ListAgents = model({
  ...PAGE_FIELDS,
  show_statuses: list(agentStatus(), { max: 10 }).optional().meta({
    description: 'May be repeated. Default: deployed and paused.',
  }),
});
export type ListAgents = z.output<typeof ListAgents>;

export const AgentResponse = model({
  agent_id: str({ format: 'uuid' }),
  name: agentName(),
  config: AgentConfigOutput,
  created_at: str({ format: 'date-time' }),
  updated_at: str({ format: 'date-time' }),
  status: agentStatus(),
  status_code: int({ description: '10 deployed, 1 paused, 0 disabled.' }),
  kb_id: int().nullable(),
}).meta({ id: 'Agent' });
export type AgentResponse = z.output<typeof AgentResponse>;

const AgentPage = model({ items: list(AgentResponse), pagination: Pagination }).meta({
  id: 'AgentPage',
});
/** Without `page` and `limit`: all agents. Otherwise one page. */
export const AgentList = z.union([list(AgentResponse), AgentPage]);
export const AgentAndMessage = model({ agent: AgentResponse, message: str() });
/** The `sip_` fields are present if LiveKit is configured and the agent has a number. */
export const DeployedAgent = model({
  agent: AgentResponse,
  message: str(),
  sip_status: oneOf(['configured', 'failed']).optional(),
  sip_details: model({
    phone_number: str().nullable(),
    trunk_id: str().nullable(),
    dispatch_rule_id: str().nullable(),
    error: str().nullable(),
  }).optional(),
});
export const AgentAlone = model({ agent: AgentResponse });
export const StatsSummary = model({
  total_agents: int(),
  status_summary: model({ deployed: int(), paused: int(), disabled: int() }),
});
