import type { CallRow } from '../calls/call-row.js';
import { requireCall } from '../calls/require-call.js';
import { ApiError } from '../errors.js';
import type { RunningCallsRepository } from './running-calls.repository.js';

export const NOT_RUNNING = 'The call has ended, or its client has not come yet';
const RETRY_AFTER_S = 5;

/** A running call of the account. @throws ApiError CALL_NOT_FOUND, CALL_NOT_RUNNING */
export async function findRunning(
  running: RunningCallsRepository,
  accountId: string,
  callId: string,
): Promise<CallRow> {
  const row = await requireCall(running, accountId, callId);
  if (row.state !== 'live') throw notRunning();
  return row;
}

/** For a call that ended before it could do what was asked of it, too. */
export function notRunning(): ApiError {
  return new ApiError('CALL_NOT_RUNNING', NOT_RUNNING);
}

/** The gateway of a call has not answered a command in time. */
export function notAnswered(): ApiError {
  return new ApiError('OVERLOADED', 'The gateway that holds this call does not answer', {
    retryAfterS: RETRY_AFTER_S,
  });
}
