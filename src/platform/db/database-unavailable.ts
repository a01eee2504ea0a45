import knex from 'knex';

/** Source: PostgreSQL's appendix A: classes 08 and 57P, and too many connections. */
const AWAY_STATES = /^(08...|57P0[1-5]|53300)$/;
/** The server died between two looks at its socket. */
const BROKEN_SOCKET = /^(EPIPE|ECONNRESET)$/;
const AWAY_MESSAGES = /Connection terminated|timeout expired|Client has encountered a connection/;

/**
 * Whether a failed query says that the database cannot be reached for now (it is being started
 * again, or is swamped), and nothing about the query. What was written may be there or not.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof knex.KnexTimeoutError) return true; // no connection was free in time
  if ('syscall' in error && error.syscall === 'connect') return true;
  const code = 'code' in error ? String(error.code) : '';
  if (AWAY_STATES.test(code) || BROKEN_SOCKET.test(code)) return true;
  return AWAY_MESSAGES.test(error.message);
}
