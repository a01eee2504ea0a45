import type { Knex } from 'knex';
import { ApiError } from '../../platform/http/api-error.js';

interface OwnerRow {
  readonly phone_number: string;
  readonly account_id: string;
  readonly is_ordered: boolean;
  readonly is_assigned: boolean;
}

/**
 * Decides which account may use a phone number. A number has at most one owner: the account that
 * ordered it from a carrier or to which the operator assigned it.
 *
 * - Another account's number is refused everywhere.
 * - A number without an owner may be stored in an agent and may ring at a deployed one.
 * - Deploying, dialling and provisioning require ownership where there is more than one account.
 *   In an installation with one account, deploying an agent makes the account the owner.
 *
 * Numbers are compared as E.164 text, the only form that agents and `phone_numbers` hold.
 */
export class NumberOwnership {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Whether another account owns the number or orders it at this moment. */
  async isForeign(accountId: string, phoneNumber: string): Promise<boolean> {
    const owner = await findOwner(this.#db, phoneNumber);
    return owner !== undefined && owner.account_id !== accountId;
  }

  /** For storing a number in an agent. @throws ApiError PHONE_NUMBER_IN_USE */
  async requireStorable(accountId: string, phoneNumber: string): Promise<void> {
    if (await this.isForeign(accountId, phoneNumber)) throw inUse();
  }

  /**
   * For dialling from a number and for provisioning it.
   * @throws ApiError PHONE_NUMBER_IN_USE, PHONE_NUMBER_NOT_OWNED
   */
  async requireUsable(accountId: string, phoneNumber: string): Promise<void> {
    const owner = await findOwner(this.#db, phoneNumber);
    if (isOwned(owner, accountId)) return;
    if (await hasOtherAccounts(this.#db, accountId)) throw notOwned(owner);
  }
}

/**
 * For deploying an agent. Locks the number until the transaction ends, so that it can be neither
 * released nor assigned to another account meanwhile. The caller holds a lock on the account.
 * @throws ApiError PHONE_NUMBER_IN_USE, PHONE_NUMBER_NOT_OWNED
 */
export async function claimNumber(
  transaction: Knex.Transaction,
  accountId: string,
  phoneNumber: string,
): Promise<void> {
  const owner = await transaction<OwnerRow>('phone_numbers')
    .where({ phone_number: phoneNumber })
    .forUpdate()
    .first();
  if (isOwned(owner, accountId)) return;
  if (await hasOtherAccounts(transaction, accountId)) throw notOwned(owner);
  const { rows } = await transaction.raw<{ rows: unknown[] }>(
    `insert into phone_numbers (phone_number, account_id, is_assigned) values (?, ?, true)
     on conflict (phone_number) do update set is_assigned = true
       where phone_numbers.account_id = excluded.account_id
     returning 1`,
    [phoneNumber, accountId],
  );
  if (rows.length === 0) throw inUse();
}

async function findOwner(db: Knex, phoneNumber: string): Promise<OwnerRow | undefined> {
  return db<OwnerRow>('phone_numbers').where({ phone_number: phoneNumber }).first();
}

async function hasOtherAccounts(db: Knex, accountId: string): Promise<boolean> {
  return (await db('accounts').whereNot({ id: accountId }).first('id')) !== undefined;
}

/** The id of the account's deployed agent with a number, if any. */
export async function findDeployedWith(
  transaction: Knex.Transaction,
  accountId: string,
  phoneNumber: string,
): Promise<string | undefined> {
  const agent: { id: string } | undefined = await transaction('agents')
    .where({ account_id: accountId, phone_number: phoneNumber, status: 'deployed' })
    .first('id');
  return agent?.id;
}

/** Leaves out the agents of a query of `agents` whose number belongs to another account. */
export function withoutForeignNumbers<T extends Knex.QueryBuilder>(agents: T): T {
  return agents.whereNotExists((owners: Knex.QueryBuilder) =>
    owners
      .from('phone_numbers as owned')
      .whereRaw('owned.phone_number = agents.phone_number')
      .whereRaw('owned.account_id <> agents.account_id'),
  ) as T;
}

/** An order that the carrier has not confirmed yet gives no right to use the number. */
function isOwned(owner: OwnerRow | undefined, accountId: string): boolean {
  if (owner !== undefined && owner.account_id !== accountId) throw inUse();
  return owner !== undefined && (owner.is_ordered || owner.is_assigned);
}

function inUse(): ApiError {
  return new ApiError(
    'PHONE_NUMBER_IN_USE',
    'This phone number belongs to another account: use a number of your own',
  );
}

/** @param own - the row of an order or a release of this account that is not complete */
function notOwned(own: OwnerRow | undefined): ApiError {
  if (own) {
    return new ApiError(
      'PHONE_NUMBER_NOT_OWNED',
      'The order or the release of this phone number is not confirmed yet: try again later, or select the number again after 2 minutes',
    );
  }
  return new ApiError(
    'PHONE_NUMBER_NOT_OWNED',
    'This phone number belongs to no account: select it from a carrier, or have the operator assign it (npm run admin -- numbers assign)',
  );
}
