import { throwNotFound } from '../../features/ownership/throw-not-found.js';
import { ApiError } from '../../platform/http/api-error.js';
import { isUuid, model, str } from '../../platform/http/validation/schema-builders.js';
import type { CallRow } from './call.model.js';

/** The path parameters of a route about one call. */
export const CallPath = model({ call_id: str() });

export const NOT_RUNNING = 'The call does not run: it has ended, or its client has not joined yet';

/** Finds calls of any account. */
interface CallFinder {
  find(callId: string): Promise<CallRow | undefined>;
}

/** A call of the account; calls of other accounts are not found. @throws ApiError CALL_NOT_FOUND */
export async function loadCall(
  calls: CallFinder,
  accountId: string,
  callId: string,
): Promise<CallRow> {
  const row = isUuid(callId) ? await calls.find(callId) : undefined;
  return row?.account_id === accountId ? row : throwCallNotFound(callId);
}

/** A running call of the account. @throws ApiError CALL_NOT_FOUND, CALL_NOT_RUNNING */
export async function loadRunningCall(
  calls: CallFinder,
  accountId: string,
  callId: string,
): Promise<CallRow> {
  const row = await loadCall(calls, accountId, callId);
  if (row.state !== 'live') throw notRunning();
  return row;
}

/** @throws ApiError CALL_NOT_FOUND */
export function throwCallNotFound(callId: string): never {
  throwNotFound('call', callId);
}

/** Also for a call that ended before it carried out a command. */
export function notRunning(): ApiError {
  return new ApiError('CALL_NOT_RUNNING', NOT_RUNNING);
}
