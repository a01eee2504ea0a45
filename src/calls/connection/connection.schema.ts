import type { z } from 'zod';
import { LANGUAGES } from '../../../media/languages.js';
import type { Provider } from '../../features/phone-numbers/carrier.js';
import { codePoints } from '../../platform/http/validation/coerce.js';
import {
  bool,
  dict,
  float,
  int,
  model,
  oneOf,
  PRINTABLE,
  scalar,
  str,
} from '../../platform/http/validation/schema-builders.js';

const MAX_VARIABLES = 200;
const MAX_NAME = 200;
const MAX_VALUE = 10_000;

/** What of an agent's voice one call may change: this and nothing else. */
const OverriddenVoice = model(
  {
    voice_id: str({ max: 200 }).nullable().optional(),
    language: oneOf(LANGUAGES).nullable().optional(),
    temperature: float({ ge: 0, le: 2 }).nullable().optional(),
    top_p: float({ ge: 0, le: 1 }).nullable().optional(),
    dictionary_id: str({ max: 200 }).nullable().optional(),
    dictionary_version: int({ ge: 1 }).nullable().optional(),
  },
  { extra: 'forbid' },
).transform(withoutNulls);

/** What one call may change of its agent, null being no change; anything else is refused by name. */
export const AgentOverrides = model(
  { tts_params: OverriddenVoice.nullable().optional() },
  { extra: 'forbid' },
).meta({ id: 'AgentOverrides' });
export type AgentOverrides = z.output<typeof AgentOverrides>;

/** Clients that write down every field say so which of them they leave as saved. */
function withoutNulls<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const set = Object.entries(fields).filter(([, value]) => value != null);
  return Object.fromEntries(set) as { [K in keyof T]?: NonNullable<T[K]> };
}

/** Values for the placeholders of prompt and greeting: flat, and each a string, number or boolean. */
export const DynamicVariables = dict(scalar().meta({ maxLength: MAX_VALUE }))
  .refine((variables) => Object.keys(variables).length <= MAX_VARIABLES, {
    message: `there must be at most ${MAX_VARIABLES} variables`,
  })
  .refine((variables) => Object.keys(variables).every(isName), {
    message: `a variable must have a name of 1 to ${MAX_NAME} printable characters, without braces`,
  })
  .refine((variables) => Object.values(variables).every((value) => !isTooLong(value)), {
    message: `a value must have at most ${MAX_VALUE} characters`,
  })
  .meta({
    description: 'Values of the `{{name}}` placeholders in prompt and greeting.',
    maxProperties: MAX_VARIABLES,
    propertyNames: { pattern: `^${PRINTABLE.replace('[^', '[^{}')}{1,${MAX_NAME}}$` },
  });
export type CallVariables = Readonly<z.output<typeof DynamicVariables>>;

const isName = (name: string) => /^[^\p{Cc}\p{Surrogate}{}]{1,200}$/u.test(name);
const isTooLong = (value: unknown) => typeof value === 'string' && codePoints(value) > MAX_VALUE;

/** What belongs to one call only. */
export interface CallOptions {
  readonly dynamic_variables?: CallVariables | undefined;
  readonly agent_overrides?: AgentOverrides | undefined;
  /** Why the agent's inbound_call webhook changed nothing: the call goes on as saved. */
  readonly inbound_call_error?: string | undefined;
  /** How far the carrier came with a call that it was to make. */
  readonly dial_status?: string | undefined;
  readonly carrier?: Provider | undefined;
  /** By which that carrier knows it. */
  readonly carrier_call_id?: string | undefined;
}

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
