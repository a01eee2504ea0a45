import type { Knex } from 'knex';
import {
  type Account,
  type AccountChange,
  AccountsRepository,
} from '../../src/features/auth/accounts.repository.js';
import { lockAccount } from '../../src/features/ownership/lock-account.js';
import { isUuid } from '../../src/platform/http/validation/schema-builders.js';
import { AdminError } from './admin-error.js';

/** The range of numeric(18, 6). */
const AMOUNT = /^\d{1,12}(\.\d{1,6})?$/;
const MAX_NAME_LENGTH = 200;

/**
 * Finds an account by id or unique name.
 * @throws AdminError if there is none, or several
 */
export async function findAccount(db: Knex, idOrName: string): Promise<Account> {
  const accounts = await new AccountsRepository(db).list();
  const isId = isUuid(idOrName);
  const found = accounts.filter(({ id, name }) =>
    isId ? id === idOrName.toLowerCase() : name === idOrName,
  );
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    throw new AdminError(`${found.length} accounts have the name "${idOrName}": give the id.`);
  }
  throw new AdminError(
    `There is no account "${idOrName}": "npm run admin -- accounts" lists them.`,
  );
}

/** @throws AdminError unless the text is an amount of credits with at most 6 decimals */
export function readAmount(text: string | undefined, what: string): string {
  if (text !== undefined && AMOUNT.test(text)) return text;
  throw new AdminError(`${what} must be an amount such as 250 or 0.05, with at most 6 decimals.`);
}

/** Adds an account with an unlimited balance. */
export async function addAccount(db: Knex, name: string): Promise<string> {
  return new AccountsRepository(db).insert(checkName(name));
}

export async function changeAccount(
  db: Knex,
  account: Account,
  change: AccountChange,
): Promise<Account> {
  if (change.name !== undefined) checkName(change.name);
  return (await new AccountsRepository(db).update(account.id, change)) ?? gone(account);
}

/** @throws AdminError when the balance is unlimited */
export async function addCredits(db: Knex, account: Account, credits: string): Promise<Account> {
  const after = await new AccountsRepository(db).addCredits(account.id, credits);
  if (after) return after;
  throw new AdminError(
    `The balance of ${account.name} is unlimited: set one with "credits set" first.`,
  );
}

/**
 * Deletes an account with its agents, keys, knowledge, voices, dictionaries and calls.
 * @throws AdminError while the account has open calls
 */
export async function removeAccount(db: Knex, account: Account): Promise<void> {
  await db.transaction(async (transaction) => {
    // New calls wait for this lock and then fail, as the account is deleted.
    await lockAccount(transaction, account.id, 'update');
    const open = await transaction('calls')
      .where({ account_id: account.id })
      .whereNot({ state: 'ended' })
      .first('call_id');
    if (open) {
      throw new AdminError(
        `${account.name} has open calls: pause its agents, and try again when the calls have ended.`,
      );
    }
    await new AccountsRepository(transaction).delete(account.id);
  });
}

function checkName(name: string): string {
  if (name.trim() !== '' && name.length <= MAX_NAME_LENGTH && !name.includes('\0')) return name;
  throw new AdminError(`A name must have 1 to ${MAX_NAME_LENGTH} characters.`);
}

function gone(account: Account): never {
  throw new AdminError(`The account ${account.id} was removed in the meantime.`);
}
