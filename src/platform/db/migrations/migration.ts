import type { Knex } from 'knex';
import type { Logger } from 'pino';

/** One step of the schema, forwards only; it always runs inside a transaction. */
export interface Migration {
  /** Its file's name, as `0001-accounts`; kept in the database for ever. */
  readonly name: string;
  /** @param log for what the operator must know of the rows that were there */
  up(transaction: Knex.Transaction, log?: Logger): Promise<void>;
}
