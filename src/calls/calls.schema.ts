import type { z } from 'zod';
import { LANGUAGES } from '../../media/languages.js';
import { bool, dict, float, int, model, oneOf, scalar, str } from '../http/fields.js';

/** What of an agent's voice one call may change: this and nothing else. */
const OverriddenVoice = model(
  {
    voice_id: str({ max: 200 }).optional(),
    language: oneOf(LANGUAGES).optional(),
    temperature: float({ ge: 0, le: 2 }).optional(),
    top_p: float({ ge: 0, le: 1 }).optional(),
    dictionary_id: str({ max: 200 }).optional(),
    dictionary_version: int({ ge: 1 }).optional(),
  },
  { extra: 'forbid' },
);

/** What a call may change of its agent. */
export const AgentOverrides = model(
  { tts_params: OverriddenVoice.optional() },
  { extra: 'forbid' },
);

/** What belongs to one call only. */
export interface CallOptions {
  readonly dynamic_variables?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly agent_overrides?: z.output<typeof AgentOverrides> | undefined;
}

export const ConnectionDetailsInput = model({
  agent_id: str(),
  dynamic_variables: dict(scalar()).nullable().optional(),
  agent_overrides: AgentOverrides.nullable().optional(),
  transport: oneOf(['livekit', 'websocket']).nullable().optional(),
}).meta({ id: 'ConnectionDetailsInput' });

export const ConnectionDetails = model({
  server_url: str(),
  participant_token: str(),
  call_id: str(),
  end_token: str(),
}).meta({ id: 'ConnectionDetails' });

export const AgentCallStatus = model({
  agent_id: str(),
  name: str(),
  voice_id: str().nullable(),
  status: str(),
  status_code: int(),
  call_allowed: bool(),
  call_validation_details: str().nullable(),
}).meta({ id: 'AgentCallStatus' });

export const EndedCall = model({
  call_id: str(),
  status: str(),
  ended_at: str({ format: 'date-time' }).nullable(),
  actual_duration_seconds: float(),
  credits_used: float(),
}).meta({ id: 'EndedCall' });

export const CallPath = model({ call_id: str() });
