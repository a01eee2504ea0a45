import type { Knex } from 'knex';
import type { RetentionPolicy } from './retention.repository.js';

/** What was deleted, why and when. It contains counts only, no personal data. */
export interface ReceiptRow {
  readonly id: number;
  readonly account_id: string;
  readonly cause: 'retention' | 'call' | 'number';
  readonly agent_id: string | null;
  readonly audio_days: number | null;
  readonly transcript_days: number | null;
  readonly calls: number;
  readonly turns: number;
  readonly recordings: number;
  /** A bigint, which the driver returns as text. */
  readonly recording_bytes: string;
  readonly webhook_deliveries: number;
  readonly begun_at: Date;
  readonly finished_at: Date | null;
}

/** Counts of one step of a deletion. */
export interface Deleted {
  readonly calls: number;
  readonly turns: number;
  readonly recordings: number;
  readonly recording_bytes: number;
  readonly webhook_deliveries: number;
}

/** The table `deletion_receipts`. */
export class DeletionReceiptsRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Opens the receipt of a deletion by request. */
  async begin(accountId: string, cause: 'call' | 'number'): Promise<number> {
    const [row] = await this.#db('deletion_receipts')
      .insert({ account_id: accountId, cause })
      .returning<{ id: number }[]>('id');
    return row!.id;
  }

  /** Continues the open receipt of a policy that a crash interrupted, or opens one. */
  async resume({
    account_id,
    agent_id,
    audio_days,
    transcript_days,
  }: RetentionPolicy): Promise<number> {
    const policy = { account_id, agent_id, audio_days, transcript_days, cause: 'retention' };
    const open = await this.#db('deletion_receipts')
      .where(policy)
      .whereNull('finished_at')
      .first<{ id: number } | undefined>('id');
    if (open) return open.id;
    const [row] = await this.#db('deletion_receipts')
      .insert(policy)
      .returning<{ id: number }[]>('id');
    return row!.id;
  }

  /** Adds counts in the transaction that deletes the rows. */
  async add(transaction: Knex.Transaction, id: number, deleted: Deleted): Promise<void> {
    const sums = Object.entries(deleted).map(([column, count]) => [
      column,
      transaction.raw('?? + ?', [column, count]),
    ]);
    await transaction('deletion_receipts').where({ id }).update(Object.fromEntries(sums));
  }

  async finish(id: number): Promise<ReceiptRow> {
    const [row] = await this.#db<ReceiptRow>('deletion_receipts')
      .where({ id })
      .update({ finished_at: this.#db.fn.now(3) as never })
      .returning('*');
    return row!;
  }

  async count(accountId: string): Promise<number> {
    const rows = await this.#db('deletion_receipts')
      .where({ account_id: accountId })
      .count<{ count: number }[]>('*');
    return Number(rows[0]!.count);
  }

  /** Newest first. */
  async list(
    accountId: string,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<readonly ReceiptRow[]> {
    return this.#db<ReceiptRow>('deletion_receipts')
      .where({ account_id: accountId })
      .orderBy('id', 'desc')
      .offset(offset)
      .limit(limit);
  }
}
