import type { Knex } from 'knex';
import { isCallId } from '../calls/call-id.js';
import type { CallRow } from '../calls/call-row.js';
import { ApiError } from '../errors.js';
import type { CallRemoval } from './call-removal.js';
import type { ReceiptRow, ReceiptsRepository } from './receipts.repository.js';

type StoredCall = CallRow & { readonly reserved_until: Date };

/** Calls that are looked up at once. */
const BATCH = 100;

/** Deletes calls on request: one, or all of a telephone number. */
export class CallDeletion {
  readonly #db: Knex;
  readonly #receipts: ReceiptsRepository;
  readonly #removal: CallRemoval;

  constructor(db: Knex, receipts: ReceiptsRepository, removal: CallRemoval) {
    this.#db = db;
    this.#receipts = receipts;
    this.#removal = removal;
  }

  /** @throws ApiError CALL_NOT_FOUND, CALL_RUNNING */
  async deleteOne(accountId: string, callId: string): Promise<ReceiptRow> {
    const row = isCallId(callId)
      ? await this.#db<StoredCall>('calls')
          .where({ call_id: callId, account_id: accountId })
          .first()
      : undefined;
    if (!row) throw new ApiError('CALL_NOT_FOUND', `No call has the id ${callId}`);
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
    const calls = () =>
      this.#db<StoredCall>('calls')
        .where({ account_id: accountId })
        .where((either) => {
          for (const column of ['from_number', 'to_number']) {
            either.orWhereRaw(`regexp_replace(??, '\\D', '', 'g') = ?`, [column, digits]);
          }
        });
    if ((await calls().whereNot({ state: 'ended' })).some(isRunning)) throw running();
    const receipt = await this.#receipts.begin(accountId, 'number');
    for (let last = 0; ; ) {
      const batch = await calls().where('id', '>', last).orderBy('id').limit(BATCH);
      const end = batch.at(-1);
      if (!end) return this.#receipts.finish(receipt);
      for (const { call_id } of batch) await this.#removal.deleteCall(call_id, receipt);
      last = end.id;
    }
  }
}

/** One whose client never came stays reserved, and is over when its slot is free. */
function isRunning({ state, reserved_until: until }: StoredCall): boolean {
  return state === 'live' || (state === 'reserved' && until.getTime() > Date.now());
}

function running(): ApiError {
  return new ApiError('CALL_RUNNING', 'A call that has not ended cannot be deleted: end it first');
}
