import { isUuid } from '../../features/ownership/owned-resources.js';
import { ApiError } from '../../platform/http/api-error.js';
import { callNotFound } from '../store/load-call.js';
import type { CallRemoval } from './call-removal.js';
import type { DeletionAuditRepository, ReceiptRow } from './deletion-audit.repository.js';
import type { RetainedCall, RetainedCallsRepository } from './retained-calls.repository.js';

/** Calls that are looked up at once. */
const BATCH = 100;

/** Deletes calls on request: one, or all of a telephone number. */
export class CallDeletion {
  readonly #calls: RetainedCallsRepository;
  readonly #receipts: DeletionAuditRepository;
  readonly #removal: CallRemoval;

  constructor(
    calls: RetainedCallsRepository,
    receipts: DeletionAuditRepository,
    removal: CallRemoval,
  ) {
    this.#calls = calls;
    this.#receipts = receipts;
    this.#removal = removal;
  }

  /** @throws ApiError CALL_NOT_FOUND, CALL_RUNNING */
  async deleteOne(accountId: string, callId: string): Promise<ReceiptRow> {
    const row = isUuid(callId) ? await this.#calls.find(accountId, callId) : undefined;
    if (!row) callNotFound(callId);
    if (isRunning(row)) throw running();
    const receipt = await this.#receipts.begin(accountId, 'call');
    await this.#removal.deleteCall(row.call_id, receipt);
    return this.#receipts.finish(receipt);
  }

  /**
   * All calls from or to a number. Where one of them runs, none is deleted.
   * @param digits of the number in E.164, without its plus @throws ApiError CALL_RUNNING
   */
  async deleteOfNumber(accountId: string, digits: string): Promise<ReceiptRow> {
    if ((await this.#calls.openOf(accountId, digits)).some(isRunning)) throw running();
    const receipt = await this.#receipts.begin(accountId, 'number');
    for (let last = 0; ; ) {
      const batch = await this.#calls.pageOf(accountId, digits, { after: last, limit: BATCH });
      const end = batch.at(-1);
      if (!end) return this.#receipts.finish(receipt);
      for (const { call_id } of batch) await this.#removal.deleteCall(call_id, receipt);
      last = end.id;
    }
  }
}

/** One whose client never came stays reserved, and is over when its slot is free. */
function isRunning({ state, reserved_until: until }: RetainedCall): boolean {
  return state === 'live' || (state === 'reserved' && until.getTime() > Date.now());
}

function running(): ApiError {
  return new ApiError('CALL_RUNNING', 'A call that has not ended cannot be deleted: end it first');
}
