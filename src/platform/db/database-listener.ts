import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import { poolBeside } from './connect.js';

export interface DatabaseListenerParts {
  readonly db: Knex;
  readonly channel: string;
  /** At every notice; and at the begin of listening, as what was told before was not heard. */
  readonly onNotice: () => void;
  readonly log: Logger;
}

/** Waits before another try to listen, ms. */
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 5_000;

/** Hears a channel's notices (`pg_notify`) on a connection of its own, made anew when it breaks. */
export class DatabaseListener {
  readonly #parts: DatabaseListenerParts;
  readonly #closing = new AbortController();
  readonly #work: Promise<void>;

  constructor(parts: DatabaseListenerParts) {
    this.#parts = parts;
    this.#work = this.#keepListening();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#work;
  }

  async #keepListening(): Promise<void> {
    const { db, log } = this.#parts;
    const { signal } = this.#closing;
    // A connection that broke tells its user too: there is nothing to do here.
    const pool = poolBeside(db, 1, () => undefined);
    let waitMs = FIRST_WAIT_MS;
    while (!signal.aborted) {
      try {
        const client = await pool.connect();
        waitMs = FIRST_WAIT_MS;
        await this.#listen(client).finally(() => client.release(true));
        if (!signal.aborted) log.warn('the connection that listens broke');
      } catch (error) {
        log.warn({ err: error }, 'the database cannot be listened to');
      }
      if (signal.aborted) break;
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
      waitMs = Math.min(2 * waitMs, MAX_WAIT_MS);
    }
    await pool.end();
  }

  /** Resolves when the connection has ended, or shall. */
  async #listen(client: PoolClient): Promise<void> {
    const { channel, onNotice } = this.#parts;
    const { signal } = this.#closing;
    const over = new Promise<void>((resolve) => {
      client.once('error', () => resolve());
      client.once('end', () => resolve());
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (signal.aborted) resolve();
    });
    client.on('notification', () => onNotice());
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    onNotice();
    await over;
  }
}
