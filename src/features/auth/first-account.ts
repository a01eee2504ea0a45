import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { writePrivateFile } from '../../platform/storage/durable-file.js';
import { makeAgentId } from '../agents/agent.model.js';
import { AgentsRepository } from '../agents/agents.repository.js';
import { sealConfig } from '../agents/config/stored-config.js';
import { SEED_AGENT } from '../agents/seed-agent.js';
import { AccountsRepository } from './accounts.repository.js';
import { makeApiKey, prefixOfApiKey } from './api-key.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** The file from which the page and the operator take the first key. */
export const API_KEY_FILE = 'api-key';

export interface FirstAccountParts {
  readonly db: Knex;
  readonly dataDir: string;
  readonly box: SecretBox;
}

/**
 * Sees to it that there is an account with a ready-made agent, and in `DATA_DIR/api-key` a key that
 * the database knows. Answers that key when it was made just now, so that it can be shown once.
 *
 * The file is written before the transaction ends, so whoever finds the account finds the key. A
 * crash in between leaves a file with an unknown key, and the next start writes a new one; so it
 * does when the key was deleted or the file is another database's. A key that is only switched off
 * stays so.
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
    if (existing === undefined) await addReadyMadeAgent(transaction, accountId, parts.box);
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

async function addReadyMadeAgent(
  transaction: Knex.Transaction,
  accountId: string,
  box: SecretBox,
): Promise<void> {
  const id = makeAgentId();
  await new AgentsRepository(transaction).insert({
    id,
    accountId,
    name: SEED_AGENT.name,
    config: sealConfig(SEED_AGENT.config, (text) => box.seal(text, id)),
    kbId: null,
    status: 'deployed',
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
