import type { Knex } from 'knex';

/** Time for which a repetition gets the stored response. */
const KEEP_FOR = '24 hours';
/** The gateway of an older request without a response has died. */
const MAX_RUNNING_TIME = '5 minutes';
/** Stored responses of an account. The oldest ones are deleted first. */
const MAX_KEPT_PER_ACCOUNT = 10_000;
/** Maximum number of expired rows that one request deletes. */
const MAX_SWEPT = 100;

/** A request with its key. */
export interface KeyedRequest {
  readonly accountId: string;
  /** The API key or JWT that sent the request. Each has its own idempotency keys. */
  readonly principal: string;
  readonly key: string;
  readonly hash: Buffer;
}

/** An earlier request with the same key. */
export interface EarlierRequest {
  readonly hash: Buffer;
  /** The encrypted response; null while that request runs. */
  readonly response: string | null;
}

interface Row {
  readonly account_id: string;
  readonly principal: string;
  readonly key: string;
  readonly request_hash: Buffer;
  readonly answer: string | null;
}

/** The table `idempotent_answers`. Its column `answer` is the encrypted response. */
export class IdempotencyRepository {
  readonly #db: Knex;
  readonly #maxKept: number;

  constructor(db: Knex, maxKept: number = MAX_KEPT_PER_ACCOUNT) {
    this.#db = db;
    this.#maxKept = maxKept;
  }

  /** Reserves the key for this request. Returns the earlier request that has it, if any. */
  async reserve(request: KeyedRequest): Promise<EarlierRequest | undefined> {
    const { accountId, principal, key, hash } = request;
    await this.#sweep();
    const reserved = await this.#db.raw<{ rows: unknown[] }>(
      `insert into idempotent_answers (account_id, principal, key, request_hash) values (?, ?, ?, ?)
       on conflict (account_id, principal, key) do update
         set request_hash = excluded.request_hash, answer = null, created_at = now()
         where idempotent_answers.created_at < now() - case
           when idempotent_answers.answer is null then interval '${MAX_RUNNING_TIME}'
           else interval '${KEEP_FOR}' end
       returning 1`,
      [accountId, principal, key, hash],
    );
    if (reserved.rows.length > 0) return undefined;
    const row = await this.#row(request).first();
    // The row was deleted between the two statements, because the first request failed. The client gets
    // IDEMPOTENCY_IN_PROGRESS and may try again.
    return row ? { hash: row.request_hash, response: row.answer } : { hash, response: null };
  }

  /** Stores the response for repetitions. */
  async keep(request: KeyedRequest, response: string): Promise<void> {
    const { accountId } = request;
    await this.#row(request).update({ answer: response });
    await this.#db.raw(
      `delete from idempotent_answers where account_id = ? and answer is not null
         and created_at < (select created_at from idempotent_answers where account_id = ?
           order by created_at desc offset ? limit 1)`,
      [accountId, accountId, this.#maxKept - 1],
    );
  }

  /** Releases the key of a request that failed. */
  async release(request: KeyedRequest): Promise<void> {
    await this.#row(request).whereNull('answer').delete();
  }

  async #sweep(): Promise<void> {
    await this.#db.raw(
      `delete from idempotent_answers where (account_id, principal, key) in (
         select account_id, principal, key from idempotent_answers
         where created_at < now() - interval '${KEEP_FOR}'
         order by created_at limit ${MAX_SWEPT} for update skip locked)`,
    );
  }

  #row({ accountId, principal, key }: KeyedRequest): Knex.QueryBuilder<Row> {
    return this.#db<Row>('idempotent_answers').where({ account_id: accountId, principal, key });
  }
}
