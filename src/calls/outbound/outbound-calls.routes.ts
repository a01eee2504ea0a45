import type { AgentsRepository } from '../../features/agents/agents.repository.js';
import {
  AgentOverrides,
  type CallVariables,
  DynamicVariables,
} from '../../features/agents/config/call-overrides.schema.js';
import { loadAgent } from '../../features/agents/load-agent.js';
import { type Route, route } from '../../platform/http/route.js';
import { model, phoneNumber, str } from '../../platform/http/validation/schema-builders.js';
import type { OutboundCallService } from './outbound-calls.service.js';

const OutboundCallInput = model({
  agent_id: str(),
  target_phone_number: phoneNumber(),
  dynamic_variables: DynamicVariables.nullable().optional(),
  agent_overrides: AgentOverrides.nullable().optional(),
}).meta({ id: 'OutboundCallInput' });

const OutboundCall = model({
  call_id: str(),
  room_name: str(),
  agent_id: str(),
  target_phone_number: str(),
  status: str(),
  initiated_at: str({ format: 'date-time' }),
}).meta({ id: 'OutboundCall' });

export interface OutboundParts {
  readonly agents: AgentsRepository;
  readonly outbound: OutboundCallService;
}

/** `/calls/outbound`. */
export function outboundRoutes({ agents, outbound }: OutboundParts): readonly Route[] {
  return [
    route({
      tag: 'Calls',
      scope: 'calls:start',
      method: 'post',
      path: '/calls/outbound',
      summary: 'Call a phone number',
      description:
        'The agent calls from its `phone_number` through its `phone_provider`. Send an `Idempotency-Key`, so that a repeated request does not dial twice. The webhook events `call.started`, `call.completed` and `call.failed` report the result.',
      isIdempotent: true,
      body: OutboundCallInput,
      responses: {
        200: { description: 'The carrier dials', schema: OutboundCall },
        403: { description: 'CALL_VALIDATION_FAILED with a reason, or the scope is missing' },
        404: { description: 'No such agent, or a voice or dictionary of the overrides' },
        409: {
          description:
            "The agent's number belongs to another account or to none; NOT_CONFIGURED, with the missing settings of the carrier; or the first request with this Idempotency-Key is still running",
        },
        502: { description: 'The carrier refused' },
        503: { description: 'This gateway accepts no more calls, or PUBLIC_URL is missing' },
      },
      async handle({ principal, body }) {
        const agent = await loadAgent(agents, principal.accountId, body.agent_id);
        const callId = await outbound.start(agent, body.target_phone_number, {
          ...(body.dynamic_variables && {
            dynamic_variables: body.dynamic_variables as CallVariables,
          }),
          ...(body.agent_overrides && { agent_overrides: body.agent_overrides }),
        });
        return {
          call_id: callId,
          room_name: `call-${callId}`,
          agent_id: agent.id,
          target_phone_number: body.target_phone_number,
          status: 'initiated',
          initiated_at: new Date().toISOString(),
        };
      },
    }),
  ];
}
