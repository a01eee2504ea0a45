import type { Knex } from 'knex';

/** One step of the schema. It runs inside a transaction; there is no step back. */
export interface Migration {
  /** The name of its file, such as `0001-accounts`. The database stores it. */
  readonly name: string;
  up(transaction: Knex.Transaction): Promise<void>;
}
