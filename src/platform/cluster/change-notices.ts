import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { DatabaseListener } from '../db/database-listener.js';

const CHANNEL = 'parley_changes';
/** The topic of gateways that start, stop or die. Other topics are the ids of the rows that changed. */
export const GATEWAYS_TOPIC = 'gateways';

/** Notifies all gateways of changes, once the transaction commits. */
export async function notifyChanges(db: Knex, topics: readonly string[]): Promise<void> {
  if (topics.length === 0) return;
  await db.raw('select pg_notify(?, topic) from unnest(?::text[]) as topic', [
    CHANNEL,
    [...topics],
  ]);
}

/** @param topic - undefined after a (re)connect, when notices may have been lost */
type ChangeHandler = (topic: string | undefined) => void;

/** Receives notices of changes that other gateways, or this one, made in the database. */
export class ChangeNotices {
  readonly #handlers = new Set<ChangeHandler>();
  readonly #listener: DatabaseListener;

  constructor(db: Knex, log: Logger) {
    const onNotice = (topic: string | undefined) => {
      for (const handle of [...this.#handlers]) handle(topic);
    };
    this.#listener = new DatabaseListener({ db, log, channel: CHANNEL, onNotice });
  }

  /** @returns a function that unsubscribes */
  subscribe(handler: ChangeHandler): () => void {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  /** @param isRelevant - selects topics */
  waiter(isRelevant: (topic: string) => boolean): ChangeWaiter {
    return new ChangeWaiter(this, isRelevant);
  }

  close(): Promise<void> {
    return this.#listener.close();
  }
}

/** Waits for changes. A change between two waits ends the second one at once. */
export class ChangeWaiter {
  readonly close: () => void;
  #hasChanged = false;
  #wake: () => void = () => undefined;

  constructor(notices: ChangeNotices, isRelevant: (topic: string) => boolean) {
    this.close = notices.subscribe((topic) => {
      if (topic === undefined || isRelevant(topic)) this.notify();
    });
  }

  /** Ends the current wait, or the next one. */
  notify(): void {
    this.#hasChanged = true;
    this.#wake();
  }

  /** Resolves at a change, when the signal aborts, or after `maxMs`. */
  async wait(maxMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#hasChanged && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, maxMs);
        this.#wake = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', this.#wake);
          resolve();
        };
        signal.addEventListener('abort', this.#wake);
      });
      // Whatever ended the wait: clears the timer and removes the listener.
      this.#wake();
      this.#wake = () => undefined;
    }
    this.#hasChanged = false;
  }
}
