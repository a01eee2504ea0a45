import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import { createPgPool } from './connect.js';

export interface DatabaseListenerParts {
  readonly db: Knex;
  readonly channel: string;
  /**
   * Called with the payload of each notification, and without one after each (re)connect, as
   * notifications may be lost before.
   */
  readonly onNotice: (payload: string | undefined) => void;
  readonly log: Logger;
}

const MIN_RECONNECT_DELAY_MS = 250;
const MAX_RECONNECT_DELAY_MS = 5_000;

/** Listens to a channel (`pg_notify`) on a dedicated connection and reconnects when it breaks. */
export class DatabaseListener {
  readonly #parts: DatabaseListenerParts;
  readonly #closing = new AbortController();
  readonly #loop: Promise<void>;

  constructor(parts: DatabaseListenerParts) {
    this.#parts = parts;
    this.#loop = this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { db, log } = this.#parts;
    const { signal } = this.#closing;
    const pool = createPgPool(db, 1, () => undefined); // `#listen` sees the error too
    let delayMs = MIN_RECONNECT_DELAY_MS;
    while (!signal.aborted) {
      try {
        const client = await pool.connect();
        delayMs = MIN_RECONNECT_DELAY_MS;
        await this.#listen(client).finally(() => client.release(true));
        if (!signal.aborted)
          log.warn('The connection that listens to the database broke: it is opened again');
      } catch (error) {
        log.warn(
          { err: error },
          'Cannot listen to the database; the next attempt is in at most 5 s',
        );
      }
      if (signal.aborted) break;
      await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      delayMs = Math.min(2 * delayMs, MAX_RECONNECT_DELAY_MS);
    }
    await pool.end();
  }

  /** Resolves when the connection has ended or `close` was called. */
  async #listen(client: PoolClient): Promise<void> {
    const { channel, onNotice } = this.#parts;
    const { signal } = this.#closing;
    const ended = new Promise<void>((resolve) => {
      client.once('error', () => resolve());
      client.once('end', () => resolve());
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (signal.aborted) resolve();
    });
    client.on('notification', ({ payload }) => onNotice(payload ?? ''));
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    onNotice(undefined);
    await ended;
  }
}
