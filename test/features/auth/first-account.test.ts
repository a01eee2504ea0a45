import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { AgentsRepository } from '../../../src/features/agents/agents.repository.js';
import { insertSeedAgent } from '../../../src/features/agents/seed-agent.js';
import { AccountsRepository } from '../../../src/features/auth/accounts.repository.js';
import { makeApiKey, prefixOfApiKey } from '../../../src/features/auth/api-key.js';
import { ApiKeysRepository } from '../../../src/features/auth/api-keys.repository.js';
import { API_KEY_FILE, ensureFirstAccount } from '../../../src/features/auth/first-account.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';
import { makeTestFolder } from '../../support/harness/process/test-folder.js';

const database = withDatabase({ emptied: 'before-each' });
const folder = makeTestFolder();
const path = join(folder, API_KEY_FILE);

beforeEach(() => rm(path, { force: true }));
afterAll(() => rm(folder, { recursive: true, force: true }));

const ensure = (db: Knex = database.db) =>
  ensureFirstAccount({
    db,
    accounts: new AccountsRepository(db),
    apiKeys: new ApiKeysRepository(db),
    dataDir: folder,
    onCreated: (transaction, accountId) =>
      insertSeedAgent(new AgentsRepository(transaction), accountId),
  });
const readKey = async () => (await readFile(path, 'utf8')).trim();
const count = async (table: string) => Number((await database.db(table).count().first())?.count);
const isKnown = async (key: string) =>
  (await database
    .db('api_keys')
    .where({ prefix: prefixOfApiKey(key) ?? '' })
    .first()) !== undefined;

describe('first start', () => {
  it('creates an account, a key of all scopes in a private file, and a deployed agent', async () => {
    const key = await ensure();
    expect(await readFile(path, 'utf8')).toBe(`${key}\n`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await count('accounts')).toBe(1);
    expect(await database.db('api_keys').pluck('scopes')).toEqual([['*']]);
    const agent = await database.db('agents').first();
    expect(agent).toMatchObject({ status: 'deployed', kb_id: null });
    expect(agent.config.prompt.length).toBeGreaterThan(1_000);
  });

  it('is not repeated at the second start', async () => {
    const key = await ensure();
    expect(await ensure()).toBeUndefined();
    expect(await readKey()).toBe(key);
    expect([await count('accounts'), await count('api_keys'), await count('agents')]).toEqual([
      1, 1, 1,
    ]);
  });

  it('creates one account if several gateways start concurrently', async () => {
    const keys = await Promise.all(Array.from({ length: 6 }, () => ensure()));
    expect(keys.filter((key) => key !== undefined)).toEqual([await readKey()]);
    expect([await count('accounts'), await count('api_keys'), await count('agents')]).toEqual([
      1, 1, 1,
    ]);
  });

  it('is repeated after a crash between the file and the commit', async () => {
    const crashing = new Proxy(database.db, {
      get(db, name) {
        if (name !== 'transaction') return Reflect.get(db, name);
        return (work: (transaction: Knex.Transaction) => Promise<unknown>) =>
          db.transaction(async (transaction) => {
            await work(transaction);
            throw new Error('crashed');
          });
      },
    });
    await expect(ensure(crashing)).rejects.toThrow('crashed');
    const lost = await readKey();
    expect([await count('accounts'), await isKnown(lost)]).toEqual([0, false]);
    const key = await ensure();
    expect(key).not.toBe(lost);
    expect([await readKey(), await isKnown(await readKey())]).toEqual([key, true]);
  });

  it('creates a new key for another data folder, and replaces an unknown key', async () => {
    const first = await ensure();
    await rm(path);
    const second = await ensure();
    expect(second).not.toBe(first);
    await writeFile(path, `${makeApiKey().text}\n`);
    expect(await ensure()).toBe(await readKey());
    expect([await count('accounts'), await count('api_keys'), await count('agents')]).toEqual([
      1, 3, 1,
    ]);
  });

  it('keeps a key that was deactivated', async () => {
    const key = await ensure();
    await database.db('api_keys').update({ is_active: false });
    expect(await ensure()).toBeUndefined();
    expect(await readKey()).toBe(key);
  });
});
