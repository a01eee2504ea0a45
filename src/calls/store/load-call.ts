import { notFound } from '../../features/ownership/owned-resources.js';
import { isUuid } from '../../platform/http/validation/schema-builders.js';
import type { CallRow } from './call.model.js';

/** What finds calls, whoever's they are. */
interface CallFinder {
  find(callId: string): Promise<CallRow | undefined>;
}

/** A call of this account: those of others do not exist for it. @throws ApiError CALL_NOT_FOUND */
export async function loadCall(
  calls: CallFinder,
  accountId: string,
  callId: string,
): Promise<CallRow> {
  const row = isUuid(callId) ? await calls.find(callId) : undefined;
  return row?.account_id === accountId ? row : callNotFound(callId);
}

/** @throws ApiError CALL_NOT_FOUND */
export function callNotFound(callId: string): never {
  notFound('call', callId);
}
