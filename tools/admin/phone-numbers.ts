import type { Knex } from 'knex';
import type { Account } from '../../src/features/auth/accounts.repository.js';
import { lockAccount } from '../../src/features/ownership/lock-account.js';
import { findDeployedWith } from '../../src/features/ownership/number-ownership.js';
import { E164 } from '../../src/platform/http/validation/schema-builders.js';
import { AdminError } from './admin-error.js';

/** Separators between digits. */
const SEPARATORS = /[\s().\-/]/g;

/** A number with its owner, as the operator sees it. */
export interface OwnedNumber {
  readonly phoneNumber: string;
  readonly accountId: string;
  readonly accountName: string;
  /** null: assigned, not ordered from a carrier here */
  readonly provider: string | null;
  readonly isAssigned: boolean;
}

interface NumberRow {
  readonly account_id: string;
  readonly provider: string | null;
  readonly is_assigned: boolean;
}

/** @throws AdminError unless the text is E.164, with or without separators */
export function readPhoneNumber(text: string): string {
  const number = text.replaceAll(SEPARATORS, '');
  if (E164.test(number)) return number;
  throw new AdminError(
    `A phone number must be E.164 with its country code, such as +4930123456; got "${text}".`,
  );
}

/** The numbers of one account, or of all. */
export function listNumbers(db: Knex, account?: Account): Promise<OwnedNumber[]> {
  const numbers = db('phone_numbers as n')
    .join('accounts as a', 'a.id', 'n.account_id')
    .orderBy(['a.name', 'n.phone_number'])
    .select({
      phoneNumber: 'n.phone_number',
      accountId: 'a.id',
      accountName: 'a.name',
      provider: 'n.provider',
      isAssigned: 'n.is_assigned',
    });
  return account ? numbers.where({ account_id: account.id }) : numbers;
}

/**
 * Makes an account the owner of a number. Idempotent.
 * @throws AdminError while another account has ordered the number from a carrier, or has an agent
 *   deployed with it
 */
export async function assignNumber(db: Knex, account: Account, number: string): Promise<void> {
  await db.transaction(async (transaction) => {
    await lockAccount(transaction, account.id, 'key-share');
    const made = await transaction('phone_numbers')
      .insert({ phone_number: number, account_id: account.id, is_assigned: true })
      .onConflict('phone_number')
      .ignore()
      .returning('phone_number');
    if (made.length > 0) return;
    const owner = await lockOwner(transaction, number);
    if (!owner) throw new AdminError(`${number} was released in the meantime: assign it again.`);
    if (owner.account_id !== account.id) {
      if (owner.provider !== null) {
        throw new AdminError(
          `The account ${owner.account_id} has ordered ${number} from ${owner.provider}: it must release the number first.`,
        );
      }
      await requireNotDeployed(transaction, number, owner.account_id);
    }
    await transaction('phone_numbers')
      .where({ phone_number: number })
      .update({ account_id: account.id, is_assigned: true });
  });
}

/**
 * Takes an assignment back. An account that has ordered the number from a carrier keeps it.
 * @throws AdminError when the number is not assigned, or an agent is deployed with it
 */
export async function unassignNumber(db: Knex, number: string): Promise<void> {
  await db.transaction(async (transaction) => {
    const owner = await lockOwner(transaction, number);
    if (!owner?.is_assigned) {
      throw new AdminError(`${number} is assigned to no account: "numbers" lists the numbers.`);
    }
    const row = transaction('phone_numbers').where({ phone_number: number });
    if (owner.provider !== null) {
      await row.update({ is_assigned: false });
      return;
    }
    await requireNotDeployed(transaction, number, owner.account_id);
    await row.delete();
  });
}

/** Deployments lock the same row, so that none can happen between the check and the change. */
function lockOwner(transaction: Knex.Transaction, number: string): Promise<NumberRow | undefined> {
  return transaction<NumberRow & { phone_number: string }>('phone_numbers')
    .where({ phone_number: number })
    .forUpdate()
    .first();
}

async function requireNotDeployed(
  transaction: Knex.Transaction,
  number: string,
  accountId: string,
): Promise<void> {
  const agentId = await findDeployedWith(transaction, accountId, number);
  if (agentId === undefined) return;
  throw new AdminError(
    `The agent ${agentId} of the account ${accountId} is deployed with ${number}: pause it first.`,
  );
}
