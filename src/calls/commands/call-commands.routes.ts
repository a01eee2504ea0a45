import type { DialBlocklist } from '../../features/phone-numbers/dial-blocklist.js';
import { ApiError } from '../../platform/http/api-error.js';
import { type Route, route } from '../../platform/http/route.js';
import { model, oneOf, phoneNumber, str } from '../../platform/http/validation/schema-builders.js';
import { CallPath } from '../connection/connection.schema.js';
import type { RunningCallsRepository } from '../monitoring/running-calls.repository.js';
import { findRunning, notAnswered, notRunning } from '../store/running-call.js';
import type { PhoneAnswer } from './call-commands.repository.js';
import type { CallCommandService } from './call-commands.service.js';

const TAG = 'Live calls';
/** Six seconds of tones. */
const MAX_KEYS = 32;

const KeysInput = model({
  keys: str({ min: 1, max: MAX_KEYS, pattern: /^[0-9*#A-Da-d]+$/ }),
}).meta({ id: 'KeysInput' });
const TransferInput = model({
  target_phone_number: phoneNumber(),
}).meta({ id: 'TransferInput' });
const Obeyed = model({ call_id: str(), status: oneOf(['done']) }).meta({ id: 'Obeyed' });

const REFUSALS = {
  404: { description: 'No such call' },
  409: { description: 'The call does not run, is about to end, or its wire cannot do this' },
  503: { description: 'The gateway that holds the call does not answer' },
} as const;

export interface CallCommandRouteParts {
  readonly running: RunningCallsRepository;
  readonly commands: Pick<CallCommandService, 'sendKeys' | 'transfer'>;
  readonly refused: DialBlocklist;
}

/** What an operator may do to a running telephone call, and to no other. */
export function callCommandRoutes({
  running,
  commands,
  refused,
}: CallCommandRouteParts): readonly Route[] {
  return [
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
        const { call_id } = await findRunning(running, principal.accountId, params.call_id);
        const answer = await commands.sendKeys(call_id, body.keys);
        log.info({ callId: call_id, keyId: principal.keyId, answer }, 'an operator presses keys');
        return obeyed(call_id, answer);
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
        const { call_id } = await findRunning(running, principal.accountId, params.call_id);
        const target = body.target_phone_number;
        if (refused.has(target)) {
          throw new ApiError('CALL_VALIDATION_FAILED', 'This number is never called', {
            fields: { reason: 'outbound_not_allowed' },
          });
        }
        const answer = await commands.transfer(call_id, target);
        log.info({ callId: call_id, keyId: principal.keyId, answer }, 'a caller is transferred');
        return obeyed(call_id, answer);
      },
    }),
  ];
}

/** @throws ApiError where the call has not done what was asked of it. */
function obeyed(callId: string, answer: PhoneAnswer | 'late' | undefined) {
  switch (answer) {
    case 'done':
      return { call_id: callId, status: answer } as const;
    case 'unable':
      throw new ApiError('CALL_CANNOT', 'This call does not come over a line that can do this');
    case 'refused':
      throw new ApiError('PROVIDER_ERROR', 'The carrier did not take the caller; the call goes on');
    case 'ending':
      throw new ApiError('CALL_ENDING', 'The call is about to end');
    case 'late':
      throw notAnswered();
    case undefined:
      throw notRunning();
  }
}
