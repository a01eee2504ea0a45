import type { Knex } from 'knex';

/**
 * Locks the row of an account until the transaction ends. Code that locks more rows locks the account
 * first, so that transactions cannot block each other.
 * @param mode - `update` serialises the work on the account; `key-share` only prevents its deletion
 */
export async function lockAccount(
  transaction: Knex.Transaction,
  accountId: string,
  mode: 'update' | 'key-share',
): Promise<void> {
  const account = transaction('accounts').where({ id: accountId }).first('id');
  await (mode === 'update' ? account.forUpdate() : account.forKeyShare());
}
