import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { CallRemoval } from './call-removal.js';
import type { ReceiptsRepository } from './receipts.repository.js';
import type { Remains, RetentionPolicy, RetentionRepository } from './retention.repository.js';

/** How often is looked for what has been kept for long enough. */
const LOOK_MS = 600_000;
/** Calls that are looked up at once. */
const BATCH = 100;
/** Calls in one look, so that no gateway has it to itself for ever. */
const MOST_CALLS = 10_000;
/** Any number will do that no other lock has. */
const LOCK = 7_274_540;

export interface RetentionJobParts {
  readonly db: Knex;
  readonly policies: RetentionRepository;
  readonly receipts: ReceiptsRepository;
  readonly removal: CallRemoval;
  readonly log: Logger;
}

/**
 * Deletes what policies want deleted, and calls to which nobody came, on one gateway at a time. It is no
 * job of the queue: such a one stays locked for hours when its gateway dies, and this is simply looked
 * for again.
 */
export class RetentionJob {
  readonly #parts: RetentionJobParts;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(parts: RetentionJobParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#look();
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** The call that is being deleted is deleted to its end. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.#running;
  }

  /** Deletes all that is due, unless another gateway does. */
  async run(): Promise<void> {
    const { db, policies } = this.#parts;
    await db.transaction(async (turn) => {
      const { rows } = await turn.raw<{ rows: { is_ours: boolean }[] }>(
        'select pg_try_advisory_xact_lock(?) as is_ours',
        [LOCK],
      );
      if (!rows[0]?.is_ours) return;
      for (const policy of await policies.list()) await this.#apply(policy);
      await this.#forgetUnbegun();
    });
  }

  #look(): void {
    this.#running ??= this.run()
      .catch((error: unknown) =>
        this.#parts.log.error({ err: error }, 'what is kept for too long could not be deleted'),
      )
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #apply(policy: RetentionPolicy): Promise<void> {
    const { receipts, log } = this.#parts;
    let receipt: number | undefined;
    for (const what of ['audio', 'words'] as const) {
      for await (const callId of this.#due(policy, what)) {
        receipt ??= await receipts.resume(policy);
        await this.#delete(what, callId, receipt);
      }
    }
    if (receipt === undefined) return;
    const { id, calls, recording_bytes } = await receipts.finish(receipt);
    log.info({ receipt: id, calls, bytes: Number(recording_bytes) }, 'retention has deleted');
  }

  /** No policy and no receipt: they never were calls. */
  async #forgetUnbegun(): Promise<void> {
    const { policies, log } = this.#parts;
    let deleted = 0;
    for (let last = BATCH; last === BATCH && deleted < MOST_CALLS; deleted += last) {
      if (this.#closing.signal.aborted) break;
      last = await policies.deleteUnbegun(BATCH);
    }
    if (deleted > 0) log.info({ deleted }, 'calls to which nobody came were forgotten');
  }

  /** A call that cannot be deleted now is left for the next time. */
  async *#due(policy: RetentionPolicy, what: Remains): AsyncGenerator<string> {
    const { policies } = this.#parts;
    const seen = new Set<string>();
    while (!this.#closing.signal.aborted && seen.size < MOST_CALLS) {
      const due = await policies.due(policy, what, BATCH);
      const fresh = due.filter((callId) => !seen.has(callId));
      if (fresh.length === 0) return;
      for (const callId of fresh) {
        if (this.#closing.signal.aborted) return;
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
