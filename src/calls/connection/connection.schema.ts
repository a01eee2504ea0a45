import type { z } from 'zod';
import {
  AgentOverrides,
  DynamicVariables,
} from '../../features/agents/config/call-overrides.schema.js';
import { bool, int, model, oneOf, str } from '../../platform/http/validation/schema-builders.js';

export const ConnectionDetailsInput = model({
  agent_id: str(),
  dynamic_variables: DynamicVariables.nullable().optional(),
  agent_overrides: AgentOverrides.nullable().optional(),
  transport: oneOf(['livekit', 'websocket']).nullable().optional(),
}).meta({ id: 'ConnectionDetailsInput' });

export const ConnectionDetails = model({
  server_url: str(),
  participant_token: str(),
  call_id: str(),
  end_token: str(),
}).meta({ id: 'ConnectionDetails' });
export type ConnectionDetails = z.output<typeof ConnectionDetails>;

export const AgentCallStatus = model({
  agent_id: str(),
  name: str(),
  voice_id: str().nullable(),
  status: str(),
  status_code: int(),
  call_allowed: bool(),
  call_validation_details: str().nullable(),
}).meta({ id: 'AgentCallStatus' });
