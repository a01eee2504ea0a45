import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { withSessionLock } from '../../platform/db/session-lock.js';
import { PeriodicTask } from '../../platform/jobs/periodic-task.js';
import type { CallRemoval } from './call-removal.js';
import type { DeletionAuditRepository } from './deletion-audit.repository.js';
import type { Remains, RetentionPolicy, RetentionRepository } from './retention.repository.js';

/** Interval between searches for data that is due for deletion. */
const LOOK_MS = 600_000;
/** Calls that are looked up at once. */
const BATCH = 100;
/** Calls in one look, so that no gateway has it to itself for ever. */
const MAX_CALLS = 10_000;
/** Any number will do that no other lock has. */
const LOCK = 7_274_540;

export interface RetentionWorkerParts {
  readonly db: Knex;
  readonly policies: RetentionRepository;
  readonly receipts: DeletionAuditRepository;
  readonly removal: CallRemoval;
  readonly log: Logger;
}

/**
 * Deletes what policies want deleted, and calls to which nobody came, on one gateway at a time. It is no
 * job of the queue: such a one stays locked for hours when its gateway dies, and this is simply looked
 * for again.
 */
export class RetentionWorker {
  readonly #parts: RetentionWorkerParts;
  readonly #task: PeriodicTask;

  constructor(parts: RetentionWorkerParts) {
    this.#parts = parts;
    this.#task = new PeriodicTask({
      intervalMs: LOOK_MS,
      run: (closing) => this.run(closing),
      onError: (error) =>
        parts.log.error({ err: error }, 'what is kept for too long could not be deleted'),
    });
  }

  start(): void {
    void this.#task.runNow();
    this.#task.start();
  }

  /** Finishes the deletion of one call that is in progress. */
  close(): Promise<void> {
    return this.#task.close();
  }

  /** Deletes all that is due, unless another gateway does. Stops early when the lock is lost. */
  async run(closing = new AbortController().signal): Promise<void> {
    const { db, policies } = this.#parts;
    await withSessionLock(db, LOCK, async (lost) => {
      const stop = AbortSignal.any([closing, lost]);
      for (const policy of await policies.list()) await this.#apply(policy, stop);
      await this.#forgetUnbegun(stop);
    });
  }

  async #apply(policy: RetentionPolicy, stop: AbortSignal): Promise<void> {
    const { receipts, log } = this.#parts;
    let receipt: number | undefined;
    for (const what of ['audio', 'words'] as const) {
      for await (const callId of this.#due(policy, what, stop)) {
        receipt ??= await receipts.resume(policy);
        await this.#delete(what, callId, receipt);
      }
    }
    if (receipt === undefined) return;
    const { id, calls, recording_bytes } = await receipts.finish(receipt);
    log.info({ receipt: id, calls, bytes: Number(recording_bytes) }, 'retention has deleted');
  }

  /** No policy and no receipt: they never were calls. */
  async #forgetUnbegun(stop: AbortSignal): Promise<void> {
    const { policies, log } = this.#parts;
    let deleted = 0;
    for (let last = BATCH; last === BATCH && deleted < MAX_CALLS; deleted += last) {
      if (stop.aborted) break;
      last = await policies.deleteUnbegun(BATCH);
    }
    if (deleted > 0) log.info({ deleted }, 'calls to which nobody came were forgotten');
  }

  /** A call that cannot be deleted now is left for the next time. */
  async *#due(policy: RetentionPolicy, what: Remains, stop: AbortSignal): AsyncGenerator<string> {
    const { policies } = this.#parts;
    const seen = new Set<string>();
    while (!stop.aborted && seen.size < MAX_CALLS) {
      const due = await policies.due(policy, what, BATCH);
      const fresh = due.filter((callId) => !seen.has(callId));
      if (fresh.length === 0) return;
      for (const callId of fresh) {
        if (stop.aborted) return;
        seen.add(callId);
        yield callId;
      }
    }
  }

  async #delete(what: Remains, callId: string, receipt: number): Promise<void> {
    const { removal, log } = this.#parts;
    try {
      if (what === 'audio') await removal.deleteAudio(callId, receipt);
      else await removal.deleteWords(callId, receipt);
    } catch (error) {
      log.warn({ err: error, callId, what }, 'a call could not be deleted yet');
    }
  }
}
