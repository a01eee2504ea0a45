import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { withSessionLock } from '../../platform/db/session-lock.js';
import { PeriodicTask } from '../../platform/jobs/periodic-task.js';
import type { CallDeletionService } from './call-deletion.service.js';
import type { DeletionReceiptsRepository } from './deletion-receipts.repository.js';
import type { RetainedCallsRepository } from './retained-calls.repository.js';
import type { Artifact, RetentionPolicy, RetentionRepository } from './retention.repository.js';

/** Interval between searches for data that is due for deletion. */
const RUN_MS = 600_000;
/** Calls per query. */
const BATCH = 100;
/** Maximum number of calls per run, so that other gateways can run, too. */
const MAX_CALLS = 10_000;
/** Advisory lock id: arbitrary, but different from the other locks. */
const LOCK = 7_274_540;

export interface RetentionWorkerParts {
  readonly db: Knex;
  readonly policies: RetentionRepository;
  readonly calls: RetainedCallsRepository;
  readonly receipts: DeletionReceiptsRepository;
  readonly deletion: CallDeletionService;
  readonly log: Logger;
}

/**
 * Applies the retention policies, and deletes unused reservations, on one gateway at a time. The job
 * queue would keep a job locked for hours after its gateway died; here the next run continues.
 */
export class RetentionWorker {
  readonly #parts: RetentionWorkerParts;
  readonly #task: PeriodicTask;

  constructor(parts: RetentionWorkerParts) {
    this.#parts = parts;
    this.#task = new PeriodicTask({
      intervalMs: RUN_MS,
      run: (closing) => this.run(closing),
      onError: (error) =>
        parts.log.error(
          { err: error },
          'Cannot apply the retention policies; the next run is in 10 min',
        ),
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

  /** Deletes everything that is due, unless another gateway does so. Stops early if it loses the lock. */
  async run(closing = new AbortController().signal): Promise<void> {
    const { db, policies } = this.#parts;
    await withSessionLock(db, LOCK, async (lost) => {
      const stop = AbortSignal.any([closing, lost]);
      for (const policy of await policies.list()) await this.#apply(policy, stop);
      await this.#deleteUnused(stop);
    });
  }

  async #apply(policy: RetentionPolicy, stop: AbortSignal): Promise<void> {
    const { receipts, log } = this.#parts;
    let receipt: number | undefined;
    for (const artifact of ['audio', 'transcript'] as const) {
      for await (const callId of this.#due(policy, artifact, stop)) {
        receipt ??= await receipts.resume(policy);
        await this.#delete(artifact, callId, receipt);
      }
    }
    if (receipt === undefined) return;
    const { id, calls, recording_bytes } = await receipts.finish(receipt);
    log.info(
      { receipt: id, calls, bytes: Number(recording_bytes) },
      'Retention deleted artifacts of calls',
    );
  }

  /** Unused reservations need neither a policy nor a receipt. */
  async #deleteUnused(stop: AbortSignal): Promise<void> {
    const { calls, log } = this.#parts;
    let deleted = 0;
    for (let last = BATCH; last === BATCH && deleted < MAX_CALLS; deleted += last) {
      if (stop.aborted) break;
      last = await calls.deleteUnused(BATCH);
    }
    if (deleted > 0) log.info({ deleted }, 'Deleted unused reservations of calls');
  }

  /** Yields each call once per run, so that a call that cannot be deleted does not block the others. */
  async *#due(
    policy: RetentionPolicy,
    artifact: Artifact,
    stop: AbortSignal,
  ): AsyncGenerator<string> {
    const { calls } = this.#parts;
    const seen = new Set<string>();
    while (!stop.aborted && seen.size < MAX_CALLS) {
      const due = await calls.due(policy, artifact, BATCH);
      const fresh = due.filter((callId) => !seen.has(callId));
      if (fresh.length === 0) return;
      for (const callId of fresh) {
        if (stop.aborted) return;
        seen.add(callId);
        yield callId;
      }
    }
  }

  async #delete(artifact: Artifact, callId: string, receipt: number): Promise<void> {
    const { deletion, log } = this.#parts;
    try {
      await deletion.deleteArtifact(callId, artifact, receipt);
    } catch (error) {
      log.warn(
        { err: error, callId, artifact },
        'Cannot delete an artifact of a call; the next run tries again',
      );
    }
  }
}
