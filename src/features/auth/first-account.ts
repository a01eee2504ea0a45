import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import type { HealthPart } from '../../platform/observability/health.js';
import { writePrivateFile } from '../../platform/storage/durable-file.js';
import type { AccountsRepository } from './accounts.repository.js';
import { makeApiKey, prefixOfApiKey } from './api-key.js';
import type { ApiKeysRepository } from './api-keys.repository.js';

/** The file in DATA_DIR with the first key, for operators and the console. */
export const API_KEY_FILE = 'api-key';

export interface FirstAccountParts {
  readonly db: Knex;
  readonly accounts: AccountsRepository;
  readonly apiKeys: ApiKeysRepository;
  readonly dataDir: string;
  /** Called in the transaction that creates the account. */
  readonly onCreated: (transaction: Knex.Transaction, accountId: string) => Promise<void>;
}

/**
 * Ensures that there is an account, and in `DATA_DIR/api-key` a key that the database contains.
 *
 * The file is written before the transaction ends, so that an account never exists without its key. A
 * crash in between leaves a file with an unknown key; then the next start writes a new one. The same
 * happens if the key was deleted or the file belongs to another database. An inactive key stays.
 * @returns the key, if this call has created it, so that it can be shown once
 */
export async function ensureFirstAccount(parts: FirstAccountParts): Promise<string | undefined> {
  const path = join(parts.dataDir, API_KEY_FILE);
  return parts.db.transaction(async (transaction) => {
    const accounts = parts.accounts.within(transaction);
    await accounts.lockFirst();
    const existing = await accounts.findFirst();
    const keys = parts.apiKeys.within(transaction);
    if (existing !== undefined && (await holdsKnownKey(path, keys))) return undefined;

    const accountId = existing ?? (await accounts.insert('First account'));
    if (existing === undefined) await parts.onCreated(transaction, accountId);
    const key = makeApiKey();
    await keys.insert(accountId, key, {
      name: existing === undefined ? 'First key' : 'Key of a data folder',
      description: `Created at the start and stored in the file ${API_KEY_FILE} of the data folder`,
      scopes: ['*'],
      isActive: true,
      expiresAt: null,
    });
    await writePrivateFile(path, `${key.text}\n`);
    return key.text;
  });
}

/** Down while the file of the first key is missing. */
export function apiKeyHealth(dataDir: string): HealthPart {
  return {
    name: 'api-key',
    isNeeded: true,
    check: async () => {
      await access(join(dataDir, API_KEY_FILE));
      return 'up';
    },
  };
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
