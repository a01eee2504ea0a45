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
      summary: 'Check whether an agent can be called',
      params: AgentPath,
      responses: {
        200: { description: 'The status of the agent for callers', schema: AgentCallStatus },
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
      'Reserves a call slot for 60 seconds. The default transport is `livekit` if LiveKit is configured: `server_url` and `participant_token` then give access to a room. Otherwise `server_url` is the URL of a WebSocket, which expects the `participant_token` in its first message.',
    isIdempotent: true,
    repeatPolicy: {
      keep: (body) => issuedConnectionOf(body as ConnectionDetails),
      restore: (kept) => connections.recreate(kept as IssuedConnection),
    },
    body: ConnectionDetailsInput,
    responses: {
      200: { description: 'How to join the call', schema: ConnectionDetails },
      403: { description: 'CALL_VALIDATION_FAILED with a reason' },
      400: { description: "The voice of the overrides does not speak the call's language" },
      404: { description: 'No such agent, or the voice of the overrides is not installed' },
      409: {
        description:
          'NOT_CONFIGURED: the transport is livekit and LiveKit is not configured; or the first request with this Idempotency-Key is still running',
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
