import type { Knex } from 'knex';
import type { WebhookRecorder } from '../../features/webhooks/webhook-events.js';
import type { CallRow } from '../store/call.model.js';
import { recordingReady } from '../store/call-events.js';

/** Duration of a lease for a mixdown. The gateway renews it. */
export const LEASE_S = 30;

export interface RecordingRow {
  readonly call_id: string;
  readonly state: 'recording' | 'spooled' | 'ready' | 'lost' | 'deleted';
  readonly duration_ms: number | null;
  readonly bytes: string | null;
  readonly merging_by: string | null;
  readonly merging_until: Date | null;
}

/** The table `recordings`. */
export class RecordingsRepository {
  readonly #db: Knex;
  readonly #events: WebhookRecorder;

  constructor(db: Knex, events: WebhookRecorder) {
    this.#db = db;
    this.#events = events;
  }

  async find(callId: string): Promise<RecordingRow | undefined> {
    return this.#db<RecordingRow>('recordings').where({ call_id: callId }).first();
  }

  /** Registers a recording that has started. */
  async begin(callId: string): Promise<void> {
    await this.#db('recordings').insert({ call_id: callId }).onConflict('call_id').ignore();
  }

  /** Marks the spool as stored. Records `recording.ready` once. @returns false if it was deleted */
  markSpooled(callId: string, durationMs: number): Promise<boolean> {
    return this.#db.transaction(async (transaction) => {
      const call = await transaction<CallRow>('calls').where({ call_id: callId }).first();
      if (!call) return false;
      await transaction('recordings').insert({ call_id: callId }).onConflict('call_id').ignore();
      const changed = await transaction('recordings')
        .where({ call_id: callId, state: 'recording' })
        .update({
          state: 'spooled',
          duration_ms: Math.round(durationMs),
          changed_at: transaction.fn.now(3),
        });
      if (changed > 0) await this.#events.record(transaction, [recordingReady(call, durationMs)]);
      const row = await transaction<RecordingRow>('recordings').where({ call_id: callId }).first();
      return row?.state === 'spooled' || row?.state === 'ready';
    });
  }

  /** Acquires or renews the lease for a mixdown. @returns whether this gateway has it */
  async lease(callId: string, gatewayId: string): Promise<boolean> {
    const changed = await this.#db('recordings')
      .where({ call_id: callId, state: 'spooled' })
      .where((free) =>
        free
          .whereNull('merging_until')
          .orWhere('merging_until', '<', this.#db.fn.now(3))
          .orWhere({ merging_by: gatewayId }),
      )
      .update({
        merging_by: gatewayId,
        merging_until: this.#db.raw(`now() + interval '${LEASE_S} s'`),
      });
    return changed > 0;
  }

  /** Releases the lease for a mixdown. */
  async release(callId: string, gatewayId: string): Promise<void> {
    await this.#db('recordings')
      .where({ call_id: callId, merging_by: gatewayId })
      .update({ merging_by: null, merging_until: null });
  }

  /** Marks the MP3 file as stored. @returns false if the recording was deleted meanwhile */
  async markReady(callId: string, file: { durationMs: number; bytes: number }): Promise<boolean> {
    const changed = await this.#db('recordings')
      .where({ call_id: callId, state: 'spooled' })
      .update({
        state: 'ready',
        duration_ms: Math.round(file.durationMs),
        bytes: file.bytes,
        merging_by: null,
        merging_until: null,
        changed_at: this.#db.fn.now(3),
      });
    return changed > 0;
  }

  /** Marks the recording as lost. */
  async markLost(callId: string): Promise<void> {
    await this.#mark(callId, 'lost');
  }

  /** Marks the recording as deleted, so that gateways delete the files that they still have. */
  async markDeleted(callId: string): Promise<void> {
    await this.#mark(callId, 'deleted');
  }

  async #mark(callId: string, state: 'lost' | 'deleted'): Promise<void> {
    await this.#db('recordings')
      .where({ call_id: callId })
      .update({ state, bytes: null, changed_at: this.#db.fn.now(3) });
  }
}
