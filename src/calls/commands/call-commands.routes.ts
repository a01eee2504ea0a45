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
  loadCall,
  loadRunningCall,
  NOT_RUNNING,
  notRunning,
  throwCallNotFound,
} from '../store/load-call.js';
import type { CallCommand } from './call-command.js';
import {
  CommandDone,
  EndedCall,
  KeysInput,
  SayInput,
  TextQueued,
  TransferInput,
} from './call-commands.schema.js';
import type { CallCommandService } from './call-commands.service.js';

const TAG = 'Live calls';

const ERROR_RESPONSES = {
  404: { description: 'No such call' },
  409: {
    description:
      'The call does not run, is about to end, or its transport does not support this command',
  },
  503: { description: 'The gateway of the call does not respond' },
} as const;

export interface CallCommandRouteParts {
  readonly calls: Pick<CallsRepository, 'find'>;
  readonly commands: Pick<CallCommandService, 'send' | 'end'>;
  readonly blocklist: DialBlocklist;
  readonly tokens: CallTokens;
  readonly authenticator: Authenticator;
}

/** Commands of an operator to a running call. */
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
      summary: 'Send DTMF digits to a telephone call',
      description:
        'The other side of the call receives the tones of the digits, for example to use a phone menu.',
      params: CallPath,
      body: KeysInput,
      responses: {
        200: { description: 'The digits will be sent', schema: CommandDone },
        ...ERROR_RESPONSES,
      },
      async handle({ principal, params, body, log }) {
        const { call_id } = await loadRunningCall(calls, principal.accountId, params.call_id);
        log.info(
          { callId: call_id, keyId: principal.keyId },
          'An operator sends DTMF digits to a call',
        );
        await sendOrThrow(commands, call_id, { type: 'keys', keys: body.keys });
        return { call_id, status: 'done' as const };
      },
    }),
    route({
      tag: TAG,
      scope: 'calls:monitor',
      method: 'post',
      path: '/calls/{call_id}/transfer',
      summary: 'Transfer the caller to a phone number',
      description:
        'The carrier connects the caller with the number at once, and the call with the agent ends with the reason `transferred`. If the carrier refuses, the call continues. For calls over Twilio.',
      params: CallPath,
      body: TransferInput,
      responses: {
        200: { description: 'The carrier has accepted the transfer', schema: CommandDone },
        403: { description: 'The number is blocked' },
        502: { description: 'The carrier refused the transfer; the call continues' },
        ...ERROR_RESPONSES,
      },
      async handle({ principal, params, body, log }) {
        const { call_id } = await loadRunningCall(calls, principal.accountId, params.call_id);
        const target = body.target_phone_number;
        if (blocklist.has(target)) {
          throw new ApiError(
            'CALL_VALIDATION_FAILED',
            'This number is on the block list of the operator',
            {
              fields: { reason: 'outbound_not_allowed' },
            },
          );
        }
        log.info(
          { callId: call_id, keyId: principal.keyId },
          'An operator transfers the caller of a call',
        );
        await sendOrThrow(commands, call_id, { type: 'transfer', target });
        return { call_id, status: 'done' as const };
      },
    }),
  ];
}

function endRoute({ commands, tokens, calls, authenticator }: CallCommandRouteParts): Route {
  return route({
    tag: 'Calls',
    scope: 'calls:monitor',
    method: 'post',
    path: '/calls/{call_id}/end',
    summary: 'End a call',
    description:
      'The bearer is the `end_token` of the connection details or an API key. The reason is `user_hangup` with the token and `operator_ended` with a key. Idempotent.',
    params: CallPath,
    isForBrowsers: true,
    credential: {
      kind: 'end_token',
      orKey: true,
      check: async (request) =>
        (await principalOfEndToken(request, tokens, calls)) ??
        authenticator.authenticate(bearerOf(request) ?? ''),
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
      return presentEndedCall((await calls.find(callId)) ?? throwCallNotFound(callId));
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
    summary: 'Let the agent say a text',
    description:
      'The agent says the text when it is its turn. The text cannot be interrupted and becomes a turn of the agent in the transcript. At most five texts can wait.',
    params: CallPath,
    body: SayInput,
    responses: {
      200: { description: 'The text is queued', schema: TextQueued },
      404: { description: 'No such call' },
      409: { description: `${NOT_RUNNING}, the call is about to end, or five texts wait` },
      503: { description: 'The gateway of the call does not respond' },
    },
    async handle({ principal, params, body, log }) {
      const { call_id } = await loadRunningCall(calls, principal.accountId, params.call_id);
      log.info(
        { callId: call_id, keyId: principal.keyId },
        'An operator lets the agent of a call say a text',
      );
      await sendOrThrow(commands, call_id, { type: 'say', text: body.text });
      return { call_id, status: 'queued' as const };
    },
  });
}

/** @throws ApiError if the call did not carry out the command */
async function sendOrThrow(
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
      throw new ApiError(
        'CALL_BUSY',
        'Five texts are waiting already: try again when the agent has said one',
      );
    case 'unable':
      throw new ApiError('CALL_CANNOT', 'The transport of this call does not support this command');
    case 'refused':
      throw new ApiError('PROVIDER_ERROR', 'The carrier refused the transfer; the call continues');
    case 'ending':
      throw new ApiError('CALL_ENDING', 'The call is about to end');
    case undefined:
      throw notRunning();
  }
}
