import type { AgentsRepository } from '../../features/agents/agents.repository.js';
import { DynamicVariables } from '../../features/agents/config/call-overrides.schema.js';
import { loadAgent } from '../../features/agents/load-agent.js';
import { ApiError } from '../../platform/http/api-error.js';
import { type Route, reply, route } from '../../platform/http/route.js';
import { int, model, str } from '../../platform/http/validation/schema-builders.js';
import type { AudioSocketRegistration } from './audiosocket-registration.js';

const MAX_ADDRESS = 400;

const AudioSocketCallInput = model({
  agent_id: str(),
  from_number: str({
    max: MAX_ADDRESS,
    description: "The caller's number or SIP URI.",
  })
    .nullable()
    .optional(),
  to_number: str({ max: MAX_ADDRESS, description: 'The number or SIP URI that was called.' })
    .nullable()
    .optional(),
  dynamic_variables: DynamicVariables.nullable().optional(),
}).meta({ id: 'AudioSocketCallInput' });

const AudioSocketCall = model({
  call_id: str(),
  uuid: str({
    format: 'uuid',
    description: 'The argument of AudioSocket() in the dialplan. Valid once.',
  }),
  port: int(),
  expires_at: str({ format: 'date-time' }),
}).meta({ id: 'AudioSocketCall' });

export interface AudioSocketRouteParts {
  readonly agents: AgentsRepository;
  readonly registration: AudioSocketRegistration;
  /** The port of the AudioSocket server; undefined while it is not configured. */
  readonly port: () => number | undefined;
}

/** `/telephony/audiosocket`: registers a call and issues the UUID with which Asterisk connects it. */
export function audioSocketRoutes({
  agents,
  registration,
  port,
}: AudioSocketRouteParts): readonly Route[] {
  return [
    route({
      tag: 'Telephony',
      scope: 'calls:start',
      method: 'post',
      path: '/telephony/audiosocket/calls',
      summary: 'Register a call that Asterisk connects over AudioSocket',
      description:
        "Calls the agent's inbound_call webhook, for up to 5 seconds, and reserves a call slot for 60 seconds.",
      isIdempotent: true,
      body: AudioSocketCallInput,
      responses: {
        201: {
          description: 'The address of the AudioSocket server and the UUID of the call',
          schema: AudioSocketCall,
        },
        403: { description: 'CALL_VALIDATION_FAILED with a reason, or the scope is missing' },
        404: { description: 'No such agent' },
        409: { description: 'NOT_CONFIGURED: AUDIOSOCKET_PORT is not set' },
        503: { description: 'Overloaded' },
      },
      async handle({ principal, body }) {
        const agent = await loadAgent(agents, principal.accountId, body.agent_id);
        const listening = port();
        if (listening === undefined) {
          const sentence = 'AudioSocket is not configured: set AUDIOSOCKET_PORT';
          throw new ApiError('NOT_CONFIGURED', sentence);
        }
        const { callId, uuid, expiresAt } = await registration.register({
          agent,
          from: body.from_number,
          to: body.to_number,
          variables: body.dynamic_variables,
        });
        const expires_at = expiresAt.toISOString();
        return reply(201, { call_id: callId, uuid, port: listening, expires_at });
      },
    }),
  ];
}
