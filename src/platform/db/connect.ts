import knex, { type Knex } from 'knex';
import pg from 'pg';

/** Address of the embedded database. `host` is the folder of its socket. */
export interface DatabaseConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

export interface ConnectOptions {
  /** Maximum number of connections. Default: 10. */
  readonly poolMax?: number;
  readonly log?: { warn(fields: object, message: string): void };
}

/** The `postgres://` URL of the embedded database, for the environment of a child process. */
export function urlOf({ host, port, user, database }: DatabaseConnection): string {
  return `postgres://${user}@localhost/${database}?${new URLSearchParams({ host, port: String(port) })}`;
}

const STATEMENT_TIMEOUT_MS = 30_000;
const IDLE_TRANSACTION_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** Interval between searches for connections that have been idle for 30 s. */
const REAP_MS = 10_000;

const { INT8, DATE } = pg.types.builtins;

/** Returns a number if it represents the value exactly, else the digits as a string. */
function parseInt8(digits: string): number | string {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : digits;
}

/** Passed per connection: changing pg's own parsers would affect the whole process. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (format !== 'binary') {
      if (oid === INT8) return parseInt8;
      if (oid === DATE) return (date: string) => date; // a `Date` would need a time zone
    }
    return pg.types.getTypeParser(oid, format);
  },
};

/**
 * Creates a connection pool for the embedded database or a `postgres://` URL. It connects on first
 * use. int8 and count(*) are read as numbers, timestamptz as `Date`, date and numeric as strings.
 * Close it with `destroy()` before you stop the embedded database.
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
    pool: { min: 0, max: poolMax, reapIntervalMillis: REAP_MS },
    acquireConnectionTimeout: CONNECT_TIMEOUT_MS,
    compileSqlOnError: false, // Otherwise error messages and the log would contain values.
    log: codeOnlyLog(log),
  });
  db.on('query-error', removeValues);
  return db;
}

/** Knex throws the errors that it logs, so their code is enough. */
function codeOnlyLog(log: ConnectOptions['log']): Knex.Logger {
  const warn = (message: unknown) => {
    const code = message instanceof Error && 'code' in message ? message.code : undefined;
    log?.warn({ code }, 'Warning of the database client');
  };
  return { warn, error: warn, deprecate: () => undefined, debug: () => undefined };
}

/** PostgreSQL's details quote row values, such as "Key (phone)=(…) already exists". */
function removeValues(error: pg.DatabaseError): void {
  error.detail = undefined;
  error.where = undefined;
  error.internalQuery = undefined;
}

/**
 * Creates a `pg` pool with the settings of `db`: for libraries that need one, and for sessions that
 * outlast a transaction.
 * @param onError - receives the errors of broken connections. Queries on them also reject
 */
export function createPgPool(db: Knex, max: number, onError: (error: Error) => void): pg.Pool {
  const settings: pg.PoolConfig = db.client.connectionSettings;
  // knex makes the password non-enumerable, so a spread does not copy it.
  const pool = new pg.Pool({ ...settings, password: settings.password, max });
  return pool.on('error', onError).on('connect', (client) => void client.on('error', onError));
}
