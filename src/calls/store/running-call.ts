import { ApiError } from '../../platform/http/api-error.js';
import type { CallRow } from './call.model.js';
import type { CallsRepository } from './calls.repository.js';
import { loadCall } from './load-call.js';

export const NOT_RUNNING = 'The call has ended, or its client has not come yet';
const RETRY_AFTER_S = 5;

/** A running call of the account. @throws ApiError CALL_NOT_FOUND, CALL_NOT_RUNNING */
export async function findRunning(
  running: Pick<CallsRepository, 'find'>,
  accountId: string,
  callId: string,
): Promise<CallRow> {
  const row = await loadCall(running, accountId, callId);
  if (row.state !== 'live') throw notRunning();
  return row;
}

/** For a call that ended before it could do what was asked of it, too. */
export function notRunning(): ApiError {
  return new ApiError('CALL_NOT_RUNNING', NOT_RUNNING);
}

/** The gateway of a call does not answer, or has not published its address. */
export function gatewayUnreachable(cause?: unknown): ApiError {
  return new ApiError(
    'GATEWAY_UNREACHABLE',
    'The gateway that holds this call cannot be reached: set GATEWAY_ADDRESS there',
    { retryAfterS: RETRY_AFTER_S, cause },
  );
}
