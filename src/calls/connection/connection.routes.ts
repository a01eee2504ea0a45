import { AgentPath } from '../../features/agents/agents.schema.js';
import { type Route, route } from '../../platform/http/route.js';
import { AgentCallStatus, ConnectionDetails, ConnectionDetailsInput } from './connection.schema.js';
import {
  type ConnectionService,
  type IssuedConnection,
  issuedConnectionOf,
} from './connection.service.js';

const TAG = 'Calls';

/** `/connection`. */
export function connectionRoutes(connections: ConnectionService): readonly Route[] {
  return [
    connectionRoute(connections, false),
    connectionRoute(connections, true),
    route({
      tag: TAG,
      scope: 'calls:start',
      method: 'get',
      path: '/connection/agent-status/{agent_id}',
      summary: 'Tell whether an agent can be called',
      params: AgentPath,
      responses: {
        200: { description: 'The agent as a caller sees it', schema: AgentCallStatus },
        404: { description: 'No such agent' },
      },
      handle: ({ principal, params }) => connections.statusOf(principal.accountId, params.agent_id),
    }),
  ];
}

function connectionRoute(connections: ConnectionService, isTest: boolean): Route {
  return route({
    tag: TAG,
    scope: 'calls:start',
    method: 'post',
    path: isTest ? '/connection/test-connection-details' : '/connection/connection-details',
    summary: isTest ? 'Call an agent that may be paused' : 'Call an agent',
    description:
      'Takes a call slot, for 60 seconds unless the call begins. With the transport livekit, the default where LiveKit is configured, server_url and participant_token are those of a room; else server_url is a WebSocket that takes the participant_token.',
    isIdempotent: true,
    replay: {
      keep: (body) => issuedConnectionOf(body as ConnectionDetails),
      answer: (kept) => connections.recreate(kept as IssuedConnection),
    },
    body: ConnectionDetailsInput,
    responses: {
      200: { description: 'How to join the call', schema: ConnectionDetails },
      403: { description: 'CALL_VALIDATION_FAILED with a reason' },
      400: { description: "The overrides' voice does not speak the call's language" },
      404: { description: 'No such agent, or the overrides name no voice that is here' },
      409: {
        description:
          'NOT_CONFIGURED: LiveKit is asked for and has no settings; or the first request still runs',
      },
      502: { description: 'LiveKit cannot be reached' },
      503: { description: 'Overloaded, or PUBLIC_URL is missing' },
    },
    handle: ({ principal, body }) =>
      connections.create(
        principal.accountId,
        body.agent_id,
        {
          ...(body.dynamic_variables && { dynamic_variables: body.dynamic_variables }),
          ...(body.agent_overrides && { agent_overrides: body.agent_overrides }),
        },
        { isTest, transport: body.transport ?? undefined },
      ),
  });
}
