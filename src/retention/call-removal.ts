import type { Knex } from 'knex';
import type { CallRow } from '../calls/call-row.js';
import type { Deleted, ReceiptsRepository } from './receipts.repository.js';

export interface CallRemovalParts {
  readonly db: Knex;
  readonly receipts: ReceiptsRepository;
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
    const { db, receipts } = this.#parts;
    const sound = await this.#deleteFiles(callId);
    await db.transaction(async (transaction) => {
      const marked = await mark(transaction, callId, 'audio_deleted_at');
      if (marked) await receipts.add(transaction, receipt, { ...NOTHING, ...sound, calls: 1 });
    });
  }

  /** The call's words go: turns, summary, variables, what was sent of it; that it was stays. */
  async deleteWords(callId: string, receipt: number): Promise<void> {
    const { db, receipts, replays } = this.#parts;
    await replays?.delete(callId);
    await db.transaction(async (transaction) => {
      if (!(await mark(transaction, callId, 'words_deleted_at'))) return;
      const turns = await transaction('call_turns').where({ call_id: callId }).delete();
      await transaction('calls')
        .where({ call_id: callId })
        .update({ options: {}, transcription_summary: null, summary_due_at: null });
      const deliveries = await transaction('webhook_deliveries')
        .where({ call_id: callId })
        .delete();
      const deleted = { ...NOTHING, calls: 1, turns, webhook_deliveries: deliveries };
      await receipts.add(transaction, receipt, deleted);
    });
  }

  /** All of the call goes, its row too. */
  async deleteCall(callId: string, receipt: number): Promise<void> {
    const { db, receipts } = this.#parts;
    const sound = await this.#deleteFiles(callId);
    await db.transaction(async (transaction) => {
      const turns = await transaction('call_turns').where({ call_id: callId }).delete();
      const calls = await transaction('calls')
        .where({ call_id: callId })
        .whereNot({ state: 'live' })
        .delete();
      if (calls === 0) return;
      const deliveries = await transaction('webhook_deliveries')
        .where({ call_id: callId })
        .delete();
      const deleted = { ...sound, calls, turns, webhook_deliveries: deliveries };
      await receipts.add(transaction, receipt, deleted);
    });
  }

  async #deleteFiles(callId: string) {
    const { db, recordings, replays } = this.#parts;
    await replays?.delete(callId);
    const known = await db('recordings').where({ call_id: callId }).whereNot({ state: 'lost' });
    const bytes = await recordings.deleteRecording(callId);
    return { recordings: known.length, recording_bytes: bytes };
  }
}

/** @returns whether it was not done before. */
async function mark(
  transaction: Knex.Transaction,
  callId: string,
  column: 'audio_deleted_at' | 'words_deleted_at',
): Promise<boolean> {
  const changed = await transaction<CallRow>('calls')
    .where({ call_id: callId, state: 'ended' })
    .whereNull(column)
    .update({ [column]: transaction.fn.now(3) });
  return changed > 0;
}
