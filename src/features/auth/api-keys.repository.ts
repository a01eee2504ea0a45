import type { Knex } from 'knex';
import type { Scope } from '../../platform/http/scopes.js';

/** The visible fields of a key. The key itself is not stored. */
export interface ApiKeyInfo {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly isActive: boolean;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
}

/** The fields of a key for authentication. */
export interface ApiKeyCredential {
  readonly id: number;
  readonly accountId: string;
  readonly hash: Buffer;
  readonly isActive: boolean;
  readonly scopes: readonly Scope[];
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
}

/** The fields of a key that its owner sets. */
export interface ApiKeyFields {
  readonly name: string;
  readonly description: string | null;
  readonly scopes: readonly Scope[];
  readonly isActive: boolean;
  readonly expiresAt: Date | null;
}

interface ApiKeyRow {
  readonly id: number;
  readonly account_id: string;
  readonly prefix: string;
  readonly hash: Buffer;
  readonly name: string;
  readonly description: string | null;
  readonly scopes: Scope[];
  readonly is_active: boolean;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly expires_at: Date | null;
}

/** The table `api_keys`. Methods with an account see only its rows. */
export class ApiKeysRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** The same repository in a transaction. */
  within(transaction: Knex.Transaction): ApiKeysRepository {
    return new ApiKeysRepository(transaction);
  }

  async insert(
    accountId: string,
    secret: { readonly prefix: string; readonly hash: Buffer },
    fields: ApiKeyFields,
  ): Promise<ApiKeyInfo> {
    const [row] = await this.#db<ApiKeyRow>('api_keys')
      .insert({
        account_id: accountId,
        prefix: secret.prefix,
        hash: secret.hash,
        ...toColumns(fields),
      })
      .returning('*');
    return toInfo(row!);
  }

  /** The newest first. */
  async list(accountId: string): Promise<ApiKeyInfo[]> {
    const rows = await this.#db<ApiKeyRow>('api_keys')
      .where({ account_id: accountId })
      .orderBy('id', 'desc');
    return rows.map(toInfo);
  }

  async count(accountId: string): Promise<number> {
    const row = await this.#db('api_keys')
      .where({ account_id: accountId })
      .count<{ count: string }[]>('* as count')
      .first();
    return Number(row?.count ?? 0);
  }

  async find(accountId: string, id: number): Promise<ApiKeyInfo | undefined> {
    const row = await this.#db<ApiKeyRow>('api_keys').where({ account_id: accountId, id }).first();
    return row && toInfo(row);
  }

  async update(
    accountId: string,
    id: number,
    fields: Partial<ApiKeyFields>,
  ): Promise<ApiKeyInfo | undefined> {
    const [row] = await this.#db<ApiKeyRow>('api_keys')
      .where({ account_id: accountId, id })
      .update(toColumns(fields))
      .returning('*');
    return row && toInfo(row);
  }

  /** Returns whether the key existed. */
  async delete(accountId: string, id: number): Promise<boolean> {
    return (await this.#db('api_keys').where({ account_id: accountId, id }).delete()) > 0;
  }

  async findCredential(prefix: string): Promise<ApiKeyCredential | undefined> {
    const row = await this.#db<ApiKeyRow>('api_keys').where({ prefix }).first();
    return row && toCredential(row);
  }

  async markUsed(id: number, at: Date): Promise<void> {
    await this.#db<ApiKeyRow>('api_keys').where({ id }).update({ last_used_at: at });
  }
}

function toColumns(fields: Partial<ApiKeyFields>): Partial<ApiKeyRow> {
  return {
    ...(fields.name !== undefined && { name: fields.name }),
    ...(fields.description !== undefined && { description: fields.description }),
    ...(fields.scopes !== undefined && { scopes: [...fields.scopes] }),
    ...(fields.isActive !== undefined && { is_active: fields.isActive }),
    ...(fields.expiresAt !== undefined && { expires_at: fields.expiresAt }),
  };
}

function toInfo(row: ApiKeyRow): ApiKeyInfo {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    isActive: row.is_active,
    scopes: row.scopes,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  };
}

function toCredential(row: ApiKeyRow): ApiKeyCredential {
  return {
    id: row.id,
    accountId: row.account_id,
    hash: row.hash,
    isActive: row.is_active,
    scopes: row.scopes,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  };
}
