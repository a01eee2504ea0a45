import type { Knex } from 'knex';

/** Time for which a repetition gets the stored response. */
const KEPT = '24 hours';
/** The gateway of an older request without a response has died. */
const RUNNING = '5 minutes';
/** Stored responses of an account. The oldest ones are deleted first. */
const KEPT_PER_ACCOUNT = 10_000;
/** Maximum number of expired rows that one request deletes. */
const SWEPT = 100;

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
  readonly answer: string | null;
}

interface Row {
  readonly account_id: string;
  readonly principal: string;
  readonly key: string;
  readonly request_hash: Buffer;
  readonly answer: string | null;
}

/** The table `idempotent_answers`. */
export class IdempotencyRepository {
  readonly #db: Knex;
  readonly #keptPerAccount: number;

  constructor(db: Knex, keptPerAccount: number = KEPT_PER_ACCOUNT) {
    this.#db = db;
    this.#keptPerAccount = keptPerAccount;
  }

  /** Reserves the key for this request. Returns the earlier request that has it, if any. */
  async take(request: KeyedRequest): Promise<EarlierRequest | undefined> {
    const { accountId, principal, key, hash } = request;
    await this.#sweep();
    const taken = await this.#db.raw<{ rows: unknown[] }>(
      `insert into idempotent_answers (account_id, principal, key, request_hash) values (?, ?, ?, ?)
       on conflict (account_id, principal, key) do update
         set request_hash = excluded.request_hash, answer = null, created_at = now()
         where idempotent_answers.created_at < now() - case
           when idempotent_answers.answer is null then interval '${RUNNING}'
           else interval '${KEPT}' end
       returning 1`,
      [accountId, principal, key, hash],
    );
    if (taken.rows.length > 0) return undefined;
    const row = await this.#row(request).first();
    // Deleted between the two statements: the first request has just failed and may be repeated.
    return row ? { hash: row.request_hash, answer: row.answer } : { hash, answer: null };
  }

  /** Stores the response for repetitions. */
  async keep(request: KeyedRequest, answer: string): Promise<void> {
    const { accountId } = request;
    await this.#row(request).update({ answer });
    await this.#db.raw(
      `delete from idempotent_answers where account_id = ? and answer is not null
         and created_at < (select created_at from idempotent_answers where account_id = ?
           order by created_at desc offset ? limit 1)`,
      [accountId, accountId, this.#keptPerAccount - 1],
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
         where created_at < now() - interval '${KEPT}'
         order by created_at limit ${SWEPT} for update skip locked)`,
    );
  }

  #row({ accountId, principal, key }: KeyedRequest): Knex.QueryBuilder<Row> {
    return this.#db<Row>('idempotent_answers').where({ account_id: accountId, principal, key });
  }
}
