import type { Knex } from 'knex';
import type { Provider } from './carrier.js';

/** A number that is still being ordered after so long was lost with its gateway. */
const ORDERING = '2 minutes';

/** A number that an account has selected. */
export interface OwnNumber {
  readonly phoneNumber: string;
  readonly provider: Provider;
  /** The account's deployed agent that has it. */
  readonly agentId: string | null;
  readonly agentName: string | null;
}

export interface NumberOrder {
  readonly accountId: string;
  readonly phoneNumber: string;
  readonly provider: Provider;
}

/** What became of the wish to order a number; `again`: an order of this account was cut off. */
export type Placed = 'placed' | 'again' | 'held' | 'taken' | 'no-slot';

interface NumberRow {
  readonly phone_number: string;
  readonly account_id: string;
  readonly provider: Provider;
  readonly is_ordered: boolean;
}

/** The only code that names the columns of `phone_numbers`. */
export class NumbersRepository {
  readonly #db: Knex;
  /** Numbers that an account may hold; 0 = no limit. */
  readonly #slots: number;

  constructor(db: Knex, slots: number) {
    this.#db = db;
    this.#slots = slots;
  }

  /** Takes a slot for a number, before the carrier is asked for it. */
  place({ accountId, phoneNumber, provider }: NumberOrder): Promise<Placed> {
    return this.#db.transaction(async (transaction) => {
      // The account's row is locked, so that two orders never take the last slot.
      await transaction('accounts').where({ id: accountId }).forUpdate().first('id');
      const known = await transaction<NumberRow>('phone_numbers')
        .where({ phone_number: phoneNumber })
        .forUpdate()
        .first('*', transaction.raw(`created_at < now() - interval '${ORDERING}' as is_old`));
      if (known) return this.#placeAgain(transaction, known, { accountId, phoneNumber, provider });
      const [held] = await transaction('phone_numbers')
        .where({ account_id: accountId })
        .count<{ count: number }[]>('*');
      if (this.#slots > 0 && Number(held!.count) >= this.#slots) return 'no-slot';
      const rows = await transaction('phone_numbers')
        .insert({ phone_number: phoneNumber, account_id: accountId, provider })
        .onConflict('phone_number')
        .ignore()
        .returning('phone_number');
      return rows.length > 0 ? 'placed' : 'taken';
    });
  }

  async #placeAgain(
    transaction: Knex.Transaction,
    known: NumberRow & { is_old?: boolean },
    { accountId, phoneNumber, provider }: NumberOrder,
  ): Promise<Placed> {
    if (known.account_id !== accountId) return 'taken';
    if (known.is_ordered) return known.provider === provider ? 'held' : 'taken';
    if (!known.is_old) return 'taken';
    await transaction('phone_numbers')
      .where({ phone_number: phoneNumber })
      .update({ provider, created_at: transaction.fn.now(3) });
    return 'again';
  }

  /** The carrier has given the number. */
  async confirm(phoneNumber: string): Promise<void> {
    await this.#db('phone_numbers')
      .where({ phone_number: phoneNumber })
      .update({ is_ordered: true });
  }

  async remove({ accountId, phoneNumber }: NumberOrder): Promise<void> {
    await this.#db('phone_numbers')
      .where({ phone_number: phoneNumber, account_id: accountId })
      .delete();
  }

  async find({ accountId, phoneNumber, provider }: NumberOrder): Promise<OwnNumber | undefined> {
    const wanted = { 'n.phone_number': phoneNumber, 'n.provider': provider };
    return (await this.#owned(accountId).where(wanted))[0];
  }

  /** The account's numbers, the one that was selected last first. */
  async list(accountId: string): Promise<readonly OwnNumber[]> {
    return this.#owned(accountId);
  }

  #owned(accountId: string): Knex.QueryBuilder<NumberRow, OwnNumber[]> {
    return this.#db('phone_numbers as n')
      .leftJoin('agents as a', (join) =>
        join
          .on('a.phone_number', 'n.phone_number')
          .andOn('a.account_id', 'n.account_id')
          .andOnVal('a.status', 'deployed'),
      )
      .where({ 'n.account_id': accountId, 'n.is_ordered': true })
      .orderBy([
        { column: 'n.created_at', order: 'desc' },
        { column: 'n.phone_number', order: 'desc' },
      ])
      .select({
        phoneNumber: 'n.phone_number',
        provider: 'n.provider',
        agentId: 'a.id',
        agentName: 'a.name',
      });
  }
}
