import type { Knex } from 'knex';

/** One step of the schema, forwards only; it always runs inside a transaction. */
export interface Migration {
  /** Its file's name, as `0001-accounts`; kept in the database for ever. */
  readonly name: string;
  up(transaction: Knex.Transaction): Promise<void>;
}
