import type { Knex } from 'knex';
import type { Logger } from 'pino';

/** One step of the schema. It runs inside a transaction; there is no step back. */
export interface Migration {
  /** The name of its file, such as `0001-accounts`. The database stores it. */
  readonly name: string;
  /** @param log for what the operator must know of the rows that were there */
  up(transaction: Knex.Transaction, log?: Logger): Promise<void>;
}
