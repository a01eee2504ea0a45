import knex, { type Knex } from 'knex';
import pg from 'pg';

/** Where the embedded database listens: `host` is the folder of its socket. */
export interface DatabaseConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

export interface ConnectOptions {
  /** Connections at most; the embedded database accepts 50 in all, more for several gateways. */
  readonly poolMax?: number;
  readonly log?: { warn(fields: object, message: string): void };
}

/** The `postgres://` URL of the embedded database, for a process that is told by its environment. */
export function urlOf({ host, port, user, database }: DatabaseConnection): string {
  return `postgres://${user}@localhost/${database}?${new URLSearchParams({ host, port: String(port) })}`;
}

const STATEMENT_TIMEOUT_MS = 30_000;
const IDLE_TRANSACTION_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 10_000;

const { INT8, DATE } = pg.types.builtins;

/** An int8 as a number where one holds it exactly; beyond that the digits stay a string. */
function parseInt8(digits: string): number | string {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : digits;
}

/** Per connection, as pg's own table of parsers belongs to the whole process. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (format !== 'binary') {
      if (oid === INT8) return parseInt8;
      if (oid === DATE) return (date: string) => date; // a day has no zone: no Date is right for it
    }
    return pg.types.getTypeParser(oid, format);
  },
};

/**
 * A pool on the embedded database or on the one at a `postgres://` URL; it connects on first use.
 * int8 and count(*) come as numbers, timestamptz as `Date`, date and numeric as strings. End it
 * with `destroy()`, before the embedded database is stopped.
 */
export function connect(
  database: DatabaseConnection | string,
  { poolMax = 10, log }: ConnectOptions = {},
): Knex {
  const address = typeof database === 'string' ? { connectionString: database } : { ...database };
  const db = knex({
    client: 'pg',
    connection: {
      ...address,
      types,
      application_name: 'parley',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
      keepAlive: true,
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: poolMax },
    acquireConnectionTimeout: CONNECT_TIMEOUT_MS,
    compileSqlOnError: false, // else the values would be in the messages, and so in the log
    log: quietLog(log),
  });
  db.on('query-error', forgetValues);
  return db;
}

/** Errors are thrown as well, so of what knex would print only the code is worth a line. */
function quietLog(log: ConnectOptions['log']): Knex.Logger {
  const tell = (message: unknown) => {
    const code = message instanceof Error && 'code' in message ? message.code : undefined;
    log?.warn({ code }, 'The database client warns');
  };
  return { warn: tell, error: tell, deprecate: () => undefined, debug: () => undefined };
}

/** PostgreSQL quotes rows in its details ("Key (phone)=(…) already exists"): not for our log. */
function forgetValues(error: pg.DatabaseError): void {
  error.detail = undefined;
  error.where = undefined;
  error.internalQuery = undefined;
}

/**
 * A pool of `pg` itself, for a library that brings its own SQL, with the settings of `db`.
 * @param onLost hears of connections that broke; whoever uses one gets its own error besides.
 */
export function poolBeside(db: Knex, max: number, onLost: (error: Error) => void): pg.Pool {
  const settings: pg.PoolConfig = db.client.connectionSettings;
  // knex hides the password from copies.
  const pool = new pg.Pool({ ...settings, password: settings.password, max });
  return pool.on('error', onLost).on('connect', (client) => void client.on('error', onLost));
}
