import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { writePrivateFile } from '../../platform/storage/durable-file.js';
import { AccountsRepository } from './accounts.repository.js';
import { makeApiKey, prefixOfApiKey } from './api-key.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** The file with the first key, for the page and the operator. */
export const API_KEY_FILE = 'api-key';

export interface FirstAccountParts {
  readonly db: Knex;
  readonly dataDir: string;
  /** Adds the resources of a new installation to the account. */
  readonly onCreated: (transaction: Knex.Transaction, accountId: string) => Promise<void>;
}

/**
 * Ensures that an account exists, and that `DATA_DIR/api-key` contains a key of the database. Returns
 * a key that was just created, so that it can be printed once.
 *
 * The file is written before the transaction is committed: an account never exists without a key file.
 * After a crash in between, or if the key was deleted or belongs to another database, the next start
 * writes a new key. A deactivated key stays.
 */
export async function ensureFirstAccount(parts: FirstAccountParts): Promise<string | undefined> {
  const path = join(parts.dataDir, API_KEY_FILE);
  return parts.db.transaction(async (transaction) => {
    const accounts = new AccountsRepository(transaction);
    await accounts.lockFirst();
    const existing = await accounts.findFirst();
    const keys = new ApiKeysRepository(transaction);
    if (existing !== undefined && (await holdsKnownKey(path, keys))) return undefined;

    const accountId = existing ?? (await accounts.insert('First account'));
    if (existing === undefined) await parts.onCreated(transaction, accountId);
    const key = makeApiKey();
    await keys.insert(accountId, key, {
      name: existing === undefined ? 'First key' : 'Key of a data folder',
      description: `Made at start and kept in the file ${API_KEY_FILE} of the data folder`,
      scopes: ['*'],
      isActive: true,
      expiresAt: null,
    });
    await writePrivateFile(path, `${key.text}\n`);
    return key.text;
  });
}

async function holdsKnownKey(path: string, keys: ApiKeysRepository): Promise<boolean> {
  try {
    const prefix = prefixOfApiKey((await readFile(path, 'utf8')).trim());
    return prefix !== undefined && (await keys.findCredential(prefix)) !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
