import type { AgentsRepository } from '../agents/agents.repository.js';
import { requireAgent } from '../agents/require-agent.js';
import { ApiError } from '../errors.js';
import { model, str } from '../http/fields.js';
import { type Route, route } from '../http/route.js';
import type { Provider } from '../numbers/carrier.js';
import { AgentOverrides, DynamicVariables } from './calls.schema.js';

const OutboundCallInput = model({
  agent_id: str(),
  target_phone_number: str({ pattern: /^\+[1-9]\d{1,14}$/, description: 'E.164.' }),
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
  /** Throws PROVIDER_ERROR that names the settings a carrier cannot be used without. */
  readonly carriers: { requireConfigured(provider: Provider): void };
}

/** `/calls/outbound`: who may not call out is told why. No carrier dials for us yet. */
export function outboundRoutes({ agents, carriers }: OutboundParts): readonly Route[] {
  return [
    route({
      tag: 'Calls',
      scope: 'calls',
      method: 'post',
      path: '/calls/outbound',
      summary: 'Call somebody',
      isIdempotent: true,
      body: OutboundCallInput,
      responses: {
        200: { description: 'The carrier dials', schema: OutboundCall },
        403: { description: 'CALL_VALIDATION_FAILED with a reason, or the scope is missing' },
        404: { description: 'No such agent' },
        502: { description: 'No carrier is configured; the answer names the missing settings' },
      },
      async handle({ principal, body }) {
        const agent = await requireAgent(agents, principal.accountId, body.agent_id);
        if (agent.status !== 'deployed') {
          throw refused('agent_not_deployed', 'The agent is not deployed: deploy it first');
        }
        if (!agent.config.allow_outbound_calling) {
          throw refused('outbound_not_allowed', 'This agent may not call out');
        }
        const provider = agent.config.phone_provider ?? 'twilio';
        carriers.requireConfigured(provider);
        throw new ApiError('PROVIDER_ERROR', `This version cannot dial through ${provider} yet`);
      },
    }),
  ];
}

function refused(reason: string, sentence: string): ApiError {
  return new ApiError('CALL_VALIDATION_FAILED', sentence, { fields: { reason } });
}
