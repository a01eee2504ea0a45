import type { IncomingMessage } from 'node:http';
import { AgentPath } from '../../features/agents/agents.schema.js';
import { type Authenticator, bearerOf } from '../../platform/http/authenticate.js';
import { type Principal, type Route, route } from '../../platform/http/route.js';
import type { CallsRepository } from '../store/calls.repository.js';
import { CallPath, loadCall } from '../store/load-call.js';
import type { CallTokens } from './call-tokens.js';
import {
  AgentCallStatus,
  ConnectionDetails,
  ConnectionDetailsInput,
  EndedCall,
} from './connection.schema.js';
import {
  type ConnectionService,
  type IssuedConnection,
  issuedConnectionOf,
} from './connection.service.js';

const TAG = 'Calls';

export interface ConnectionRouteParts {
  readonly connections: ConnectionService;
  readonly tokens: CallTokens;
  readonly calls: CallsRepository;
  readonly keys: Authenticator;
}

/** `/connection` and `/calls/{call_id}/end`. */
export function connectionRoutes(parts: ConnectionRouteParts): readonly Route[] {
  const { connections } = parts;
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
    endRoute(parts),
  ];
}

function endRoute({ connections, tokens, calls, keys }: ConnectionRouteParts): Route {
  return route({
    tag: TAG,
    scope: 'calls:monitor',
    method: 'post',
    path: '/calls/{call_id}/end',
    summary: 'End a call',
    description:
      'The bearer is the end_token of the connection details, which ends the call as its caller does, or an API key, whose call then ends with operator_ended. Idempotent.',
    params: CallPath,
    isForBrowsers: true,
    credential: {
      kind: 'end_token',
      orKey: true,
      check: async (request) =>
        (await ownToken(request, tokens, calls)) ?? keys.authenticate(bearerOf(request) ?? ''),
    },
    responses: {
      200: { description: 'The call has ended', schema: EndedCall },
      404: { description: 'No such call' },
    },
    async handle({ params, principal, req, log }) {
      const callId = params.call_id;
      const isCaller = (await ownToken(req, tokens, calls)) !== undefined;
      if (!isCaller) {
        await loadCall(calls, principal.accountId, callId);
        log.info({ callId, keyId: principal.keyId }, 'a call is ended by an operator');
      }
      return connections.end(callId, isCaller ? 'user_hangup' : 'operator_ended');
    },
  });
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

/** The principal of an end token; undefined if the bearer is not the end token of this call. */
async function ownToken(
  request: IncomingMessage & { readonly path?: string },
  tokens: CallTokens,
  calls: CallsRepository,
): Promise<Principal | undefined> {
  const bearer = bearerOf(request);
  const callId = bearer && (await tokens.verify(bearer, 'end'));
  if (!callId || !request.path?.includes(`/calls/${callId}/`)) return undefined;
  const row = await calls.find(callId);
  return row && { accountId: row.account_id, keyId: null, scopes: ['*'] };
}
