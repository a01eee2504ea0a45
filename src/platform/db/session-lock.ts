import type { Knex } from 'knex';
import { poolBeside } from './connect.js';

/**
 * Runs `work` while this process holds a PostgreSQL advisory lock. The lock belongs to a connection
 * of its own, outside any transaction, so `work` may take as long as it needs: a transaction would
 * be ended by `idle_in_transaction_session_timeout`, and the lock with it.
 * @param work receives a signal that fires when the connection, and so the lock, is lost
 * @returns false when another session holds the lock; `work` did not run
 */
export async function withSessionLock(
  db: Knex,
  lock: number,
  work: (lost: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const lost = new AbortController();
  const pool = poolBeside(db, 1, () => lost.abort());
  try {
    const client = await pool.connect();
    try {
      const { rows } = await client.query<{ is_ours: boolean }>(
        'select pg_try_advisory_lock($1) as is_ours',
        [lock],
      );
      if (!rows[0]?.is_ours) return false;
      await work(lost.signal);
      if (!lost.signal.aborted) await client.query('select pg_advisory_unlock($1)', [lock]);
      return true;
    } finally {
      client.release(true); // closes the connection, which frees the lock in any case
    }
  } finally {
    await pool.end();
  }
}
