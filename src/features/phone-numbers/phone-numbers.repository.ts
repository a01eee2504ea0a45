import type { Knex } from 'knex';
import { lockAccount } from '../ownership/lock-account.js';
import { findDeployedWith } from '../ownership/number-ownership.js';
import type { Provider } from './carrier.js';

/** After this time, an order or a release counts as interrupted. */
const MAX_ORDER_TIME = '2 minutes';

/** A number that an account has selected. */
export interface OwnNumber {
  readonly phoneNumber: string;
  readonly provider: Provider;
  /** The account's deployed agent with this number. */
  readonly agentId: string | null;
  readonly agentName: string | null;
}

export interface NumberOrder {
  readonly accountId: string;
  readonly phoneNumber: string;
  readonly provider: Provider;
}

/** The result of `reserve`. `again`: an earlier order of this account was interrupted. */
export type OrderResult = 'placed' | 'again' | 'held' | 'taken' | 'limit-reached';

/**
 * Whether a release may begin. `wasAssigned`: the operator had assigned the number to the account.
 * `agentId`: the deployed agent with the number.
 */
export type ReleaseResult =
  | { readonly type: 'begun'; readonly wasAssigned: boolean }
  | { readonly type: 'none' }
  | { readonly type: 'deployed'; readonly agentId: string };

interface NumberRow {
  readonly phone_number: string;
  readonly account_id: string;
  /** null: assigned, not ordered from a carrier here */
  readonly provider: Provider | null;
  readonly is_ordered: boolean;
  readonly is_assigned: boolean;
}

interface AgedRow extends NumberRow {
  readonly is_old?: boolean;
}

/**
 * Orders of numbers from carriers, which make an account the owner. The rules for owners are in
 * `ownership/number-ownership.ts`.
 */
export class PhoneNumbersRepository {
  readonly #db: Knex;
  /** Numbers that an account may hold; 0 = no limit. */
  readonly #limit: number;

  constructor(db: Knex, limit: number) {
    this.#db = db;
    this.#limit = limit;
  }

  /** Reserves a number for its account before it is ordered from the carrier. */
  reserve({ accountId, phoneNumber, provider }: NumberOrder): Promise<OrderResult> {
    return this.#db.transaction(async (transaction) => {
      // The lock on the account prevents two orders from exceeding the limit.
      await lockAccount(transaction, accountId, 'update');
      const order = { accountId, phoneNumber, provider };
      const known = await lockNumber(transaction, phoneNumber);
      if (known && (known.account_id !== accountId || known.provider !== null)) {
        return resumeOrder(transaction, known, order);
      }
      const [held] = await transaction('phone_numbers')
        .where({ account_id: accountId })
        .whereNotNull('provider')
        .count<{ count: number }[]>('*');
      if (this.#limit > 0 && Number(held!.count) >= this.#limit) return 'limit-reached';
      if (known) {
        await beginOrder(transaction, order);
        return 'placed';
      }
      const rows = await transaction('phone_numbers')
        .insert({ phone_number: phoneNumber, account_id: accountId, provider })
        .onConflict('phone_number')
        .ignore()
        .returning('phone_number');
      return rows.length > 0 ? 'placed' : 'taken';
    });
  }

  /** Marks the number as delivered by the carrier. */
  async confirm(phoneNumber: string): Promise<void> {
    await this.#db('phone_numbers')
      .where({ phone_number: phoneNumber })
      .update({ is_ordered: true });
  }

  /** Ends an order. An account to which the number was assigned remains its owner. */
  async remove({ accountId, phoneNumber }: NumberOrder): Promise<void> {
    const order = () =>
      this.#db<NumberRow>('phone_numbers').where({
        phone_number: phoneNumber,
        account_id: accountId,
      });
    await order().where({ is_assigned: false }).delete();
    await order().where({ is_assigned: true }).update({ provider: null, is_ordered: false });
  }

  /**
   * Withdraws the number from its account before it is released at the carrier, so that no agent is
   * deployed with it meanwhile. `cancelRelease` reverts this, `remove` completes it.
   */
  beginRelease({ accountId, phoneNumber, provider }: NumberOrder): Promise<ReleaseResult> {
    return this.#db.transaction(async (transaction) => {
      const known = await lockNumber(transaction, phoneNumber);
      const isOwn = known?.account_id === accountId && known.provider === provider;
      if (!isOwn || !(known.is_ordered || known.is_old)) return { type: 'none' };
      const agentId = await findDeployedWith(transaction, accountId, phoneNumber);
      if (agentId !== undefined) return { type: 'deployed', agentId };
      await transaction<NumberRow>('phone_numbers')
        .where({ phone_number: phoneNumber })
        .update({ is_ordered: false, is_assigned: false, ...startedNow(transaction) });
      return { type: 'begun', wasAssigned: known.is_assigned };
    });
  }

  /** Returns the number to its account, because the carrier did not release it. */
  async cancelRelease(phoneNumber: string, wasAssigned: boolean): Promise<void> {
    await this.#db('phone_numbers')
      .where({ phone_number: phoneNumber })
      .update({ is_ordered: true, is_assigned: wasAssigned });
  }

  /** The numbers that the account has selected, newest first. */
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

/** Locks the number against orders, releases, deployments and assignments until the transaction ends. */
function lockNumber(
  transaction: Knex.Transaction,
  phoneNumber: string,
): Promise<AgedRow | undefined> {
  return transaction<NumberRow>('phone_numbers')
    .where({ phone_number: phoneNumber })
    .forUpdate()
    .first('*', transaction.raw(`created_at < now() - interval '${MAX_ORDER_TIME}' as is_old`));
}

async function resumeOrder(
  transaction: Knex.Transaction,
  known: AgedRow,
  order: NumberOrder,
): Promise<OrderResult> {
  if (known.account_id !== order.accountId) return 'taken';
  if (known.is_ordered) return known.provider === order.provider ? 'held' : 'taken';
  if (!known.is_old) return 'taken';
  await beginOrder(transaction, order);
  return 'again';
}

async function beginOrder(
  transaction: Knex.Transaction,
  { phoneNumber, provider }: NumberOrder,
): Promise<void> {
  await transaction<NumberRow>('phone_numbers')
    .where({ phone_number: phoneNumber })
    .update({ provider, ...startedNow(transaction) });
}

function startedNow(transaction: Knex.Transaction) {
  return { created_at: transaction.fn.now(3) };
}
