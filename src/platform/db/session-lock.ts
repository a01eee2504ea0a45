import type { Knex } from 'knex';
import { createPgPool } from './connect.js';

/**
 * Runs `work` while this process holds a PostgreSQL advisory lock. A dedicated connection holds the
 * lock outside any transaction, so `idle_in_transaction_session_timeout` does not limit `work`.
 * @param work - its signal aborts when the connection, and with it the lock, is lost
 * @returns false if another session holds the lock; `work` did not run then
 */
export async function withSessionLock(
  db: Knex,
  lock: number,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const lost = new AbortController();
  const pool = createPgPool(db, 1, () => lost.abort());
  try {
    const client = await pool.connect();
    try {
      const { rows } = await client.query<{ acquired: boolean }>(
        'select pg_try_advisory_lock($1) as acquired',
        [lock],
      );
      if (!rows[0]?.acquired) return false;
      await work(lost.signal);
      if (!lost.signal.aborted) await client.query('select pg_advisory_unlock($1)', [lock]);
      return true;
    } finally {
      client.release(true); // closes the connection, which releases the lock in any case
    }
  } finally {
    await pool.end();
  }
}
