import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';

/** Serialises the first start of several gateways on one database. */
const FIRST_ACCOUNT_LOCK = 7_217_001;

/** The only code that names the columns of `accounts`. */
export class AccountsRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Makes an account with an unlimited balance and answers its id. */
  async insert(name: string): Promise<string> {
    const id = randomUUID();
    await this.#db('accounts').insert({ id, name });
    return id;
  }

  async exists(id: string): Promise<boolean> {
    return (await this.#db('accounts').where({ id }).first('id')) !== undefined;
  }

  /**
   * Takes what so many characters of speech cost, in one statement.
   * @returns the credits taken; undefined, with nothing taken, where they are not there.
   */
  async spendOnSpeech(id: string, characters: number): Promise<string | undefined> {
    const cost = 'price_per_1000_characters * ? / 1000';
    const { rows } = await this.#db.raw<{ rows: { credits: string }[] }>(
      `update accounts set balance = balance - ${cost}
       where id = ? and (balance is null or (balance > 0 and balance >= ${cost}))
       returning round(${cost}, 6)::text as credits`,
      [characters, id, characters, characters],
    );
    return rows[0]?.credits;
  }

  /** Gives back what was taken for something that was not delivered. */
  async refund(id: string, credits: string): Promise<void> {
    await this.#db('accounts')
      .where({ id })
      .update({ balance: this.#db.raw('balance + ?::numeric', [credits]) });
  }

  /** The id of the account that was made first; undefined before the first start. */
  async findFirst(): Promise<string | undefined> {
    const row = await this.#db<{ id: string }>('accounts')
      .orderBy([{ column: 'created_at' }, { column: 'id' }])
      .first('id');
    return row?.id;
  }

  /** Waits until no other transaction makes the first account, and holds them off until this ends. */
  async lockFirst(): Promise<void> {
    await this.#db.raw('select pg_advisory_xact_lock(?)', [FIRST_ACCOUNT_LOCK]);
  }
}
