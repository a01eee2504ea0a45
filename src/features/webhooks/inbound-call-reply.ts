import type { EgressResponse } from '../../platform/egress/egress-client.js';
import { ApiError } from '../../platform/http/api-error.js';
import { model } from '../../platform/http/validation/schema-builders.js';
import { validationErrorsOf } from '../../platform/http/validation/validation-errors.js';
import type { Agent } from '../agents/agent.model.js';
import {
  AgentOverrides,
  type CallOverrides,
  type CallVariables,
  DynamicVariables,
} from '../agents/config/call-overrides.schema.js';
import type { VoiceOverrides } from '../voices/voice-overrides.js';

/** The response of an inbound_call webhook. Unknown keys are ignored. */
const InboundCallReply = model({
  dynamic_variables: DynamicVariables.nullable().optional(),
  agent_overrides: AgentOverrides.nullable().optional(),
});

export type ReadReply =
  | { readonly type: 'valid'; readonly options: CallOverrides }
  /** `error` is a sentence with names of fields, without values. */
  | { readonly type: 'invalid'; readonly error: string };

/** The JSON object of a response; undefined for anything else. */
export function jsonOf({ body }: EgressResponse): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(body.toString());
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
    return isObject ? (json as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined; // Other texts are ignored.
  }
}

/** Validates the response of an inbound_call webhook. */
export async function readReply(
  answer: EgressResponse,
  agent: Agent,
  overrides: VoiceOverrides,
): Promise<ReadReply> {
  const { status } = answer;
  if (status < 200 || status > 299) return invalid(`The webhook responded with status ${status}`);
  // An empty body is equal to an empty object.
  const json = answer.body.length === 0 ? {} : jsonOf(answer);
  if (!json) return invalid('The response of the webhook is not a JSON object');
  const reply = InboundCallReply.safeParse(json);
  if (!reply.success) {
    const faults = validationErrorsOf('reply', json, reply.error.issues);
    return invalid(faults.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; '));
  }
  const { dynamic_variables, agent_overrides } = reply.data;
  try {
    await overrides.check(agent, agent_overrides);
  } catch (error) {
    if (error instanceof ApiError) return invalid(error.message);
    throw error;
  }
  const options: CallOverrides = {
    ...(dynamic_variables && { dynamic_variables: dynamic_variables as CallVariables }),
    ...(agent_overrides && { agent_overrides }),
  };
  return { type: 'valid', options };
}

function invalid(error: string): ReadReply {
  return { type: 'invalid', error };
}
