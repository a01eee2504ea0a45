import type { IncomingMessage } from 'node:http';
import type { DialBlocklist } from '../../features/phone-numbers/dial-blocklist.js';
import { gatewayUnreachable, PeerError } from '../../platform/cluster/peer-client.js';
import { ApiError } from '../../platform/http/api-error.js';
import { type Authenticator, bearerOf } from '../../platform/http/bearer-credentials.js';
import { type Principal, type Route, route } from '../../platform/http/route.js';
import type { CallTokens } from '../connection/call-tokens.js';
import type { CallRow } from '../store/call.model.js';
import type { CallsRepository } from '../store/calls.repository.js';
import {
  CallPath,
  callNotFound,
  loadCall,
  loadRunningCall,
  NOT_RUNNING,
  notRunning,
} from '../store/load-call.js';
import type { CallCommand } from './call-command.js';
import {
  EndedCall,
  KeysInput,
  Obeyed,
  Said,
  SayInput,
  TransferInput,
} from './call-commands.schema.js';
import type { CallCommandService } from './call-commands.service.js';

const TAG = 'Live calls';

const REFUSALS = {
  404: { description: 'No such call' },
  409: { description: 'The call does not run, is about to end, or its wire cannot do this' },
  503: { description: 'The gateway that holds the call does not answer' },
} as const;

export interface CallCommandRouteParts {
  readonly calls: Pick<CallsRepository, 'find'>;
  readonly commands: Pick<CallCommandService, 'send' | 'end'>;
  readonly blocklist: DialBlocklist;
  readonly tokens: CallTokens;
  readonly keys: Authenticator;
}

/** What an operator may do to a running call. */
export function callCommandRoutes(parts: CallCommandRouteParts): readonly Route[] {
  const { calls, commands, blocklist } = parts;
  return [
    endRoute(parts),
    sayRoute(parts),
    route({
      tag: TAG,
      scope: 'calls:monitor',
      method: 'post',
      path: '/calls/{call_id}/keys',
      summary: 'Press keys of a telephone call',
      description: 'The other side hears their tones, as of a menu that asks for digits.',
      params: CallPath,
      body: KeysInput,
      responses: {
        200: { description: 'The tones are on their way', schema: Obeyed },
        ...REFUSALS,
      },
      async handle({ principal, params, body, log }) {
        const { call_id } = await loadRunningCall(calls, principal.accountId, params.call_id);
        log.info({ callId: call_id, keyId: principal.keyId }, 'an operator presses keys');
        await carryOut(commands, call_id, { type: 'keys', keys: body.keys });
        return { call_id, status: 'done' as const };
      },
    }),
    route({
      tag: TAG,
      scope: 'calls:monitor',
      method: 'post',
      path: '/calls/{call_id}/transfer',
      summary: 'Give the caller to a telephone number',
      description:
        'The carrier connects the caller with the number at once, and the call with the agent ends as `transferred`; it goes on where the carrier refuses. Over Twilio.',
      params: CallPath,
      body: TransferInput,
      responses: {
        200: { description: 'The carrier has been told', schema: Obeyed },
        403: { description: 'This number is never called' },
        502: { description: 'The carrier refuses; the call goes on' },
        ...REFUSALS,
      },
      async handle({ principal, params, body, log }) {
        const { call_id } = await loadRunningCall(calls, principal.accountId, params.call_id);
        const target = body.target_phone_number;
        if (blocklist.has(target)) {
          throw new ApiError('CALL_VALIDATION_FAILED', 'This number is never called', {
            fields: { reason: 'outbound_not_allowed' },
          });
        }
        log.info({ callId: call_id, keyId: principal.keyId }, 'a caller is transferred');
        await carryOut(commands, call_id, { type: 'transfer', target });
        return { call_id, status: 'done' as const };
      },
    }),
  ];
}

function endRoute({ commands, tokens, calls, keys }: CallCommandRouteParts): Route {
  return route({
    tag: 'Calls',
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
        (await principalOfEndToken(request, tokens, calls)) ??
        keys.authenticate(bearerOf(request) ?? ''),
    },
    responses: {
      200: { description: 'The call has ended', schema: EndedCall },
      404: { description: 'No such call' },
    },
    async handle({ params, principal, req, log }) {
      const callId = params.call_id;
      const isCaller = (await principalOfEndToken(req, tokens, calls)) !== undefined;
      if (!isCaller) {
        await loadCall(calls, principal.accountId, callId);
        log.info({ callId, keyId: principal.keyId }, 'An operator ends a call');
      }
      await commands.end(callId, isCaller ? 'user_hangup' : 'operator_ended');
      return presentEndedCall((await calls.find(callId)) ?? callNotFound(callId));
    },
  });
}

/** The principal of an end token; undefined if the bearer is not the end token of this call. */
async function principalOfEndToken(
  request: IncomingMessage & { readonly path?: string },
  tokens: CallTokens,
  calls: CallCommandRouteParts['calls'],
): Promise<Principal | undefined> {
  const bearer = bearerOf(request);
  const callId = bearer && (await tokens.verify(bearer, 'end'));
  if (!callId || !request.path?.includes(`/calls/${callId}/`)) return undefined;
  const row = await calls.find(callId);
  return row && { accountId: row.account_id, keyId: null, scopes: ['*'] };
}

function presentEndedCall(row: CallRow) {
  const { started_at: start, ended_at: end } = row;
  return {
    call_id: row.call_id,
    status: row.state,
    ended_at: end?.toISOString() ?? null,
    actual_duration_seconds: start && end ? (end.getTime() - start.getTime()) / 1000 : 0,
    credits_used: Number(row.credits_used),
  };
}

function sayRoute({ calls, commands }: CallCommandRouteParts): Route {
  return route({
    tag: TAG,
    scope: 'calls:monitor',
    method: 'post',
    path: '/calls/{call_id}/say',
    summary: 'Have the agent say something',
    description:
      'The agent says it as soon as it has the floor, to its end, and the transcript has it as its own words. At most five texts wait.',
    params: CallPath,
    body: SayInput,
    responses: {
      200: { description: 'It will be said', schema: Said },
      404: { description: 'No such call' },
      409: { description: `${NOT_RUNNING}, or the agent says goodbye, or five texts wait` },
      503: { description: 'The gateway that holds the call does not answer' },
    },
    async handle({ principal, params, body, log }) {
      const { call_id } = await loadRunningCall(calls, principal.accountId, params.call_id);
      log.info({ callId: call_id, keyId: principal.keyId }, 'an operator speaks');
      await carryOut(commands, call_id, { type: 'say', text: body.text });
      return { call_id, status: 'queued' as const };
    },
  });
}

/** @throws ApiError if the call did not carry out the command */
async function carryOut(
  commands: CallCommandRouteParts['commands'],
  callId: string,
  command: CallCommand,
): Promise<void> {
  const answer = await commands.send(callId, command).catch((error: unknown) => {
    throw error instanceof PeerError ? gatewayUnreachable(error) : error;
  });
  switch (answer) {
    case 'done':
      return;
    case 'busy':
      throw new ApiError('CALL_BUSY', 'Five texts wait to be said already');
    case 'unable':
      throw new ApiError('CALL_CANNOT', 'This call does not come over a line that can do this');
    case 'refused':
      throw new ApiError('PROVIDER_ERROR', 'The carrier did not take the caller; the call goes on');
    case 'ending':
      throw new ApiError('CALL_ENDING', 'The call is about to end');
    case undefined:
      throw notRunning();
  }
}
