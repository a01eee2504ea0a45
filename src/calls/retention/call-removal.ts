import type { Deleted, DeletionAuditRepository } from './deletion-audit.repository.js';
import type { RetainedCallsRepository } from './retained-calls.repository.js';

export interface CallRemovalParts {
  readonly calls: RetainedCallsRepository;
  readonly receipts: DeletionAuditRepository;
  readonly recordings: { deleteRecording(callId: string): Promise<number> };
  /** Files of calls for replay, where they are written. */
  readonly replays: { delete(callId: string): Promise<void> } | undefined;
}

const NOTHING: Deleted = {
  calls: 0,
  turns: 0,
  recordings: 0,
  recording_bytes: 0,
  webhook_deliveries: 0,
};

/**
 * Deletes what remains of calls that are over. Files go first, then, in one transaction, the rows and
 * what the receipt counts of them: after a crash the same is done again, and counted once.
 */
export class CallRemoval {
  readonly #parts: CallRemovalParts;

  constructor(parts: CallRemovalParts) {
    this.#parts = parts;
  }

  /** The call's sound goes; that there was a call stays. */
  async deleteAudio(callId: string, receipt: number): Promise<void> {
    const { calls, receipts } = this.#parts;
    const sound = await this.#deleteFiles(callId);
    await calls.markAudioDeleted(callId, (transaction) =>
      receipts.add(transaction, receipt, { ...NOTHING, ...sound, calls: 1 }),
    );
  }

  /** The call's words go: turns, summary, variables, what was sent of it; that it was stays. */
  async deleteWords(callId: string, receipt: number): Promise<void> {
    const { calls, receipts, replays } = this.#parts;
    await replays?.delete(callId);
    await calls.deleteWords(callId, (transaction, counts) =>
      receipts.add(transaction, receipt, { ...NOTHING, ...counts, calls: 1 }),
    );
  }

  /** All of the call goes, its row too. */
  async deleteCall(callId: string, receipt: number): Promise<void> {
    const { calls, receipts } = this.#parts;
    const sound = await this.#deleteFiles(callId);
    await calls.delete(callId, (transaction, counts) =>
      receipts.add(transaction, receipt, { ...sound, ...counts }),
    );
  }

  async #deleteFiles(callId: string) {
    const { calls, recordings, replays } = this.#parts;
    await replays?.delete(callId);
    const known = await calls.countRecordings(callId);
    const bytes = await recordings.deleteRecording(callId);
    return { recordings: known, recording_bytes: bytes };
  }
}
