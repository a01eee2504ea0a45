import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';

/** Advisory lock for the first start of several gateways on one database. */
const FIRST_ACCOUNT_LOCK = 7_217_001;

/** Amounts are decimal texts, so that a balance is exact. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** null = unlimited */
  readonly balance: string | null;
  readonly pricePer1000Characters: string;
  readonly pricePerCallSecond: string;
  readonly createdAt: Date;
}

/** The fields of an account that an operator may change. */
export type AccountChange = Partial<
  Pick<Account, 'name' | 'balance' | 'pricePer1000Characters' | 'pricePerCallSecond'>
>;

interface AccountRow {
  readonly id: string;
  readonly name: string;
  readonly balance: string | null;
  readonly price_per_1000_characters: string;
  readonly price_per_call_second: string;
  readonly created_at: Date;
}

/**
 * The table `accounts`. `lock-account.ts` locks its rows; `CallsRepository` reads prices and deducts
 * credits in the statement that ends a call.
 */
export class AccountsRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** The same repository in a transaction. */
  within(transaction: Knex.Transaction): AccountsRepository {
    return new AccountsRepository(transaction);
  }

  /** Creates an account with an unlimited balance, and returns its id. */
  async insert(name: string): Promise<string> {
    const id = randomUUID();
    await this.#db('accounts').insert({ id, name });
    return id;
  }

  async exists(id: string): Promise<boolean> {
    return (await this.#db('accounts').where({ id }).first('id')) !== undefined;
  }

  /**
   * Deducts the price of a number of characters of speech, in one statement.
   * @returns the deducted credits; undefined if the balance is too low
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

  /** Refunds a deduction for speech that was not delivered. */
  async refund(id: string, credits: string): Promise<void> {
    await this.#db('accounts')
      .where({ id })
      .update({ balance: this.#db.raw('balance + ?::numeric', [credits]) });
  }

  /** The oldest first. */
  async list(): Promise<Account[]> {
    const rows = await this.#db<AccountRow>('accounts').orderBy(['created_at', 'id']);
    return rows.map(toAccount);
  }

  async update(id: string, change: AccountChange): Promise<Account | undefined> {
    const { name, balance, pricePer1000Characters, pricePerCallSecond } = change;
    const [row] = await this.#db<AccountRow>('accounts')
      .where({ id })
      .update({
        ...(name !== undefined && { name }),
        ...(balance !== undefined && { balance }),
        ...(pricePer1000Characters !== undefined && {
          price_per_1000_characters: pricePer1000Characters,
        }),
        ...(pricePerCallSecond !== undefined && { price_per_call_second: pricePerCallSecond }),
      })
      .returning('*');
    return row && toAccount(row);
  }

  /** Adds to a limited balance in one statement; undefined if it is unlimited or does not exist. */
  async addCredits(id: string, credits: string): Promise<Account | undefined> {
    const [row] = await this.#db<AccountRow>('accounts')
      .where({ id })
      .whereNotNull('balance')
      .update({ balance: this.#db.raw('balance + ?::numeric', [credits]) })
      .returning('*');
    return row && toAccount(row);
  }

  /** Deletes an account with everything that belongs to it. */
  async delete(id: string): Promise<void> {
    await this.#db('accounts').where({ id }).delete();
  }

  /** The id of the first account; undefined before the first start. */
  async findFirst(): Promise<string | undefined> {
    const row = await this.#db<{ id: string }>('accounts')
      .orderBy([{ column: 'created_at' }, { column: 'id' }])
      .first('id');
    return row?.id;
  }

  /** Locks the creation of the first account until the transaction ends. */
  async lockFirst(): Promise<void> {
    await this.#db.raw('select pg_advisory_xact_lock(?)', [FIRST_ACCOUNT_LOCK]);
  }
}

function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    balance: row.balance,
    pricePer1000Characters: row.price_per_1000_characters,
    pricePerCallSecond: row.price_per_call_second,
    createdAt: row.created_at,
  };
}
