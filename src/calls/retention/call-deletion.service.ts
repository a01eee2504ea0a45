import { ApiError } from '../../platform/http/api-error.js';
import { isUuid } from '../../platform/http/validation/schema-builders.js';
import { throwCallNotFound } from '../store/load-call.js';
import type {
  Deleted,
  DeletionReceiptsRepository,
  ReceiptRow,
} from './deletion-receipts.repository.js';
import type { RetainedCall, RetainedCallsRepository } from './retained-calls.repository.js';
import type { Artifact } from './retention.repository.js';

/** Calls per query. */
const BATCH = 100;

const NOTHING: Deleted = {
  calls: 0,
  turns: 0,
  recordings: 0,
  recording_bytes: 0,
  webhook_deliveries: 0,
};

export interface CallDeletionParts {
  readonly calls: RetainedCallsRepository;
  readonly receipts: DeletionReceiptsRepository;
  readonly recordings: { deleteRecording(callId: string): Promise<number> };
  /** Undefined while REPLAY_DIR is not set. */
  readonly replays: { delete(callId: string): Promise<void> } | undefined;
}

/**
 * Deletes calls, or their artifacts. Files are deleted first. One transaction then deletes the rows and
 * adds their number to the receipt, so that a repetition after a crash counts each row once.
 */
export class CallDeletionService {
  readonly #parts: CallDeletionParts;

  constructor(parts: CallDeletionParts) {
    this.#parts = parts;
  }

  /** @throws ApiError CALL_NOT_FOUND, CALL_RUNNING */
  async deleteOne(accountId: string, callId: string): Promise<ReceiptRow> {
    const { calls, receipts } = this.#parts;
    const row = isUuid(callId) ? await calls.find(accountId, callId) : undefined;
    if (!row) throwCallNotFound(callId);
    if (isRunning(row)) throw running();
    const receipt = await receipts.begin(accountId, 'call');
    await this.#deleteCall(row.call_id, receipt);
    return receipts.finish(receipt);
  }

  /**
   * Deletes all calls from or to a number. If one of them runs, none is deleted.
   * @param digits - of the number in E.164, without its plus
   * @throws ApiError CALL_RUNNING
   */
  async deleteOfNumber(accountId: string, digits: string): Promise<ReceiptRow> {
    const { calls, receipts } = this.#parts;
    if ((await calls.openOf(accountId, digits)).some(isRunning)) throw running();
    const receipt = await receipts.begin(accountId, 'number');
    for (let last = 0; ; ) {
      const batch = await calls.pageOf(accountId, digits, { after: last, limit: BATCH });
      const end = batch.at(-1);
      if (!end) return receipts.finish(receipt);
      for (const { call_id } of batch) await this.#deleteCall(call_id, receipt);
      last = end.id;
    }
  }

  /** Deletes one artifact of an ended call; the call stays in the history. */
  async deleteArtifact(callId: string, artifact: Artifact, receipt: number): Promise<void> {
    const { calls, receipts, replays } = this.#parts;
    if (artifact === 'audio') {
      const files = await this.#deleteFiles(callId);
      await calls.markAudioDeleted(callId, (transaction) =>
        receipts.add(transaction, receipt, { ...NOTHING, ...files, calls: 1 }),
      );
      return;
    }
    await replays?.delete(callId);
    await calls.deleteTranscript(callId, (transaction, counts) =>
      receipts.add(transaction, receipt, { ...NOTHING, ...counts, calls: 1 }),
    );
  }

  async #deleteCall(callId: string, receipt: number): Promise<void> {
    const { calls, receipts } = this.#parts;
    const files = await this.#deleteFiles(callId);
    await calls.delete(callId, (transaction, counts) =>
      receipts.add(transaction, receipt, { ...files, ...counts }),
    );
  }

  async #deleteFiles(callId: string) {
    const { calls, recordings, replays } = this.#parts;
    await replays?.delete(callId);
    const count = await calls.countRecordings(callId);
    const bytes = await recordings.deleteRecording(callId);
    return { recordings: count, recording_bytes: bytes };
  }
}

/** An unused reservation stays reserved. It counts as ended when its slot is free. */
function isRunning({ state, reserved_until: until }: RetainedCall): boolean {
  return state === 'live' || (state === 'reserved' && until.getTime() > Date.now());
}

function running(): ApiError {
  return new ApiError('CALL_RUNNING', 'A call that has not ended cannot be deleted: end it first');
}
