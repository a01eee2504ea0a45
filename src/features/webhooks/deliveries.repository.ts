import type { Knex } from 'knex';
import type { Slice } from '../../platform/http/validation/pagination.js';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The job that sends the pending deliveries of a lane. */
export const DELIVER_JOB = 'deliver-webhooks';

/** A delivery without job, or of a dead gateway, is found after this time. */
const OVERDUE_AFTER_S = 5;
const MAX_LANES_PER_SWEEP = 200;
const RETENTION_DAYS = 30;
const MAX_DELETED_PER_SWEEP = 1_000;

/** One event for one URL. */
export interface Delivery {
  readonly id: number;
  readonly delivery_id: string;
  readonly account_id: string;
  readonly agent_id: string;
  readonly call_id: string | null;
  readonly event: string;
  readonly url: string;
  readonly lane: string;
  readonly body: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly due_at: Date;
  readonly claimed_until: Date | null;
  readonly last_status_code: number | null;
  readonly last_error: string | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

export type NewDelivery = Pick<
  Delivery,
  'delivery_id' | 'account_id' | 'agent_id' | 'call_id' | 'event' | 'url' | 'lane' | 'body'
> & {
  /** Delay until `release`, ms. */
  readonly hold_ms?: number;
};

export interface DeliveryFilter {
  readonly agentId: string;
  readonly accountId: string;
  readonly status?: DeliveryStatus | undefined;
  readonly event?: string | undefined;
  readonly callId?: string | undefined;
}

/** The first pending delivery of a lane, and the time until its next attempt. */
export type NextDelivery = Delivery & { readonly wait_ms: number; readonly is_claimed: boolean };

interface AttemptResult {
  readonly statusCode: number | null;
  readonly error: string | null;
}

/**
 * Schedules a job for `lane` in `ms`. A new job replaces the waiting one of the lane. A running job is not
 * replaced, so that deliveries written after its last query are sent.
 */
const ADD_JOB = `graphile_worker.add_job('${DELIVER_JOB}', json_build_object('lane', lane),
  run_at := now() + ms * interval '1 ms', max_attempts := 3,
  job_key := '${DELIVER_JOB} ' || lane)`;

/** Stores deliveries and schedules their jobs. */
export class DeliveriesRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Stores deliveries and their jobs in the caller's transaction. */
  async add(transaction: Knex.Transaction, deliveries: readonly NewDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    await transaction('webhook_deliveries').insert(
      deliveries.map(({ hold_ms: ms = 0, ...delivery }) => ({
        ...delivery,
        due_at: this.#inMs(ms),
      })),
    );
    for (const lane of new Set(deliveries.map((delivery) => delivery.lane))) {
      await addJob(transaction, lane);
    }
  }

  /** Changes and releases held deliveries. Due and attempted ones stay unchanged. */
  async release(
    transaction: Knex.Transaction,
    { callId, event }: { readonly callId: string; readonly event: string },
    change: (body: string) => string,
  ): Promise<void> {
    const held = await transaction<Delivery>('webhook_deliveries')
      .where({ call_id: callId, event, status: 'pending', attempts: 0 })
      .where('due_at', '>', transaction.fn.now())
      .orderBy('id')
      .forUpdate();
    for (const { id, body, lane } of held) {
      await transaction('webhook_deliveries')
        .where({ id })
        .update({ body: change(body), due_at: transaction.fn.now(3) });
      await addJob(transaction, lane);
    }
  }

  /** The next pending delivery of a lane. */
  async next(lane: string): Promise<NextDelivery | undefined> {
    return this.#db<Delivery>('webhook_deliveries')
      .where({ lane, status: 'pending' })
      .orderBy('id')
      .select('*')
      .select<NextDelivery[]>(
        this.#db.raw('(extract(epoch from due_at - now()) * 1000)::float8 as wait_ms'),
        this.#db.raw('coalesce(claimed_until > now(), false) as is_claimed'),
      )
      .first();
  }

  /** Claims a delivery for one attempt. False if another gateway has claimed it. */
  async claim(id: number, ms: number): Promise<boolean> {
    const claimed = await this.#db('webhook_deliveries')
      .where({ id, status: 'pending' })
      .whereRaw('due_at <= now()')
      .whereRaw('(claimed_until is null or claimed_until <= now())')
      .update({ claimed_until: this.#inMs(ms) });
    return claimed > 0;
  }

  /** Ends a delivery. @param wasAttempted - whether a request was just sent */
  async finish(
    id: number,
    status: Exclude<DeliveryStatus, 'pending'>,
    { statusCode, error }: AttemptResult,
    wasAttempted: boolean,
  ): Promise<void> {
    await this.#db('webhook_deliveries')
      .where({ id, status: 'pending' })
      .update({
        status,
        claimed_until: null,
        finished_at: this.#db.fn.now(3),
        last_status_code: statusCode,
        last_error: error,
        ...(wasAttempted && { attempts: this.#db.raw('attempts + 1') }),
      });
  }

  /** Records a failed attempt and schedules the next one. */
  async retry(
    id: number,
    lane: string,
    { statusCode, error }: AttemptResult,
    inMs: number,
  ): Promise<void> {
    await this.#db.transaction(async (transaction) => {
      await transaction('webhook_deliveries')
        .where({ id, status: 'pending' })
        .update({
          claimed_until: null,
          due_at: this.#inMs(inMs),
          last_status_code: statusCode,
          last_error: error,
          attempts: transaction.raw('attempts + 1'),
        });
      await addJob(transaction, lane, inMs);
    });
  }

  /** Schedules the job of a lane. */
  async scheduleLane(lane: string, ms: number): Promise<void> {
    await addJob(this.#db, lane, ms);
  }

  /** Repeats a finished delivery with the same id. */
  async replay(filter: DeliveryFilter, deliveryId: string): Promise<Delivery | undefined> {
    return this.#db.transaction(async (transaction) => {
      const mine = () =>
        transaction<Delivery>('webhook_deliveries').where({
          delivery_id: deliveryId,
          agent_id: filter.agentId,
          account_id: filter.accountId,
        });
      const [replayed] = await mine()
        .whereNot({ status: 'pending' })
        .update({
          status: 'pending',
          attempts: 0,
          due_at: transaction.fn.now(3) as never,
          finished_at: null,
        })
        .returning('*');
      if (!replayed) return mine().first();
      await addJob(transaction, replayed.lane);
      return replayed;
    });
  }

  async count(filter: DeliveryFilter): Promise<number> {
    const rows = await this.#filtered(filter).count<{ count: number }[]>('*');
    return Number(rows[0]!.count);
  }

  /** Newest first. */
  async list(filter: DeliveryFilter, { offset, limit }: Slice): Promise<readonly Delivery[]> {
    return this.#filtered(filter).orderBy('id', 'desc').offset(offset).limit(limit).select('*');
  }

  /**
   * Schedules jobs for overdue deliveries of dead gateways or lost jobs, and deletes old finished
   * deliveries.
   */
  async sweep(): Promise<void> {
    await this.#db.raw(
      `select ${ADD_JOB} from (
         select lane, 0 as ms from webhook_deliveries
         where status = 'pending' and due_at < now() - interval '${OVERDUE_AFTER_S} s'
           and (claimed_until is null or claimed_until <= now())
         group by lane limit ${MAX_LANES_PER_SWEEP}) overdue`,
    );
    await this.#db.raw(
      `delete from webhook_deliveries where id in (
         select id from webhook_deliveries
         where status <> 'pending' and finished_at < now() - interval '${RETENTION_DAYS} days'
         limit ${MAX_DELETED_PER_SWEEP})`,
    );
  }

  /** Releases every claim. Only for a gateway that is alone on its database. */
  async releaseAllClaims(): Promise<void> {
    await this.#db('webhook_deliveries')
      .where({ status: 'pending' })
      .whereNotNull('claimed_until')
      .update({ claimed_until: null });
    await this.#db.raw(
      `select ${ADD_JOB} from (
         select lane, 0 as ms from webhook_deliveries
         where status = 'pending' and due_at <= now() group by lane) waiting`,
    );
  }

  #filtered({ agentId, accountId, status, event, callId }: DeliveryFilter) {
    return this.#db<Delivery>('webhook_deliveries')
      .where({ agent_id: agentId, account_id: accountId })
      .modify((rows) => {
        if (status) rows.where({ status });
        if (event) rows.where({ event });
        if (callId) rows.whereRaw('call_id::text = ?', [callId]);
      });
  }

  #inMs(ms: number): Knex.Raw {
    return this.#db.raw(`now() + ? * interval '1 ms'`, [Math.round(ms)]);
  }
}

async function addJob(db: Knex, lane: string, ms = 0): Promise<void> {
  await db.raw(`select ${ADD_JOB} from (select ?::text as lane, ?::float8 as ms) wanted`, [
    lane,
    Math.round(ms),
  ]);
}
