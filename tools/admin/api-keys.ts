import type { Knex } from 'knex';
import type { Account } from '../../src/features/auth/accounts.repository.js';
import { makeApiKey } from '../../src/features/auth/api-key.js';
import { type ApiKeyInfo, ApiKeysRepository } from '../../src/features/auth/api-keys.repository.js';
import { isScope, SCOPES, type Scope } from '../../src/platform/http/scopes.js';
import { AdminError } from './admin-error.js';

const DAY_MS = 86_400_000;
const MAX_DAYS = 36_500;

export interface KeyOptions {
  /** A comma list; absent = everything. */
  readonly scopes?: string | undefined;
  /** Days until it expires; absent = never. */
  readonly days?: string | undefined;
}

/** Creates a key and returns its text, which is not stored. @throws AdminError */
export async function addKey(
  db: Knex,
  account: Account,
  name: string,
  { scopes, days }: KeyOptions,
): Promise<{ readonly text: string; readonly info: ApiKeyInfo }> {
  const key = makeApiKey();
  const info = await new ApiKeysRepository(db).insert(account.id, key, {
    name,
    description: null,
    scopes: scopes === undefined ? ['*'] : readScopes(scopes),
    isActive: true,
    expiresAt: days === undefined ? null : readDays(days),
  });
  return { text: key.text, info };
}

export function listKeys(db: Knex, account: Account): Promise<ApiKeyInfo[]> {
  return new ApiKeysRepository(db).list(account.id);
}

/** Revokes a key. It stays in the list; gateways refuse it within a second. @throws AdminError */
export async function revokeKey(db: Knex, account: Account, id: string): Promise<ApiKeyInfo> {
  const number = /^\d{1,9}$/.test(id) ? Number(id) : 0;
  const info = await new ApiKeysRepository(db).update(account.id, number, { isActive: false });
  if (info) return info;
  throw new AdminError(`${account.name} has no key ${id}: "keys list" lists the ids.`);
}

function readScopes(list: string): Scope[] {
  const names = list.split(',').map((name) => name.trim());
  const scopes = names.filter(isScope);
  if (scopes.length === names.length) return [...new Set(scopes)];
  throw new AdminError(`--scopes must be a comma list of ${SCOPES.join(', ')}.`);
}

function readDays(text: string): Date {
  const days = Number(text);
  if (/^\d+$/.test(text) && days >= 1 && days <= MAX_DAYS) {
    return new Date(Date.now() + days * DAY_MS);
  }
  throw new AdminError(`--days must be a whole number from 1 to ${MAX_DAYS}.`);
}
