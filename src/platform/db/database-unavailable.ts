import knex from 'knex';

/** Source: PostgreSQL's appendix A: classes 08 and 57P, and too many connections. */
const UNAVAILABLE_CODES = /^(08...|57P0[1-5]|53300)$/;
/** The server died during a query. */
const BROKEN_SOCKET_CODES = /^(EPIPE|ECONNRESET)$/;
const UNAVAILABLE_MESSAGES =
  /Connection terminated|timeout expired|Client has encountered a connection/;

/**
 * Whether a query failed because the database cannot be reached now: it is restarting or has no free
 * connection. The query may or may not have been executed.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof knex.KnexTimeoutError) return true; // no free connection in time
  if ('syscall' in error && error.syscall === 'connect') return true;
  const code = 'code' in error ? String(error.code) : '';
  if (UNAVAILABLE_CODES.test(code) || BROKEN_SOCKET_CODES.test(code)) return true;
  return UNAVAILABLE_MESSAGES.test(error.message);
}
