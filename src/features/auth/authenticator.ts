import { LRUCache } from 'lru-cache';
import type { Principal } from '../../platform/http/route.js';
import { isUuid } from '../../platform/http/validation/schema-builders.js';
import { isSameHash } from '../../platform/secrets/timing-safe-equal.js';
import type { AccountsRepository } from './accounts.repository.js';
import { hashApiKey, prefixOfApiKey } from './api-key.js';
import type { ApiKeyCredential, ApiKeysRepository } from './api-keys.repository.js';
import { JsonWebTokens } from './json-web-tokens.js';

/** A change to a key by another gateway takes effect within this time. */
const CACHE_MS = 1_000;
const MAX_ENTRIES = 1_000;
/** Shortest time between two writes of a key's `last_used_at`. */
const LAST_USED_STEP_MS = 60_000;

/** A cached key, and the field of it that changes here. */
interface CachedKey {
  readonly credential: ApiKeyCredential;
  lastUsedMs: number;
}

export interface ApiKeyAuthenticatorParts {
  readonly keys: ApiKeysRepository;
  readonly accounts: AccountsRepository;
  readonly tokens: JsonWebTokens;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/**
 * Finds the principal of an API key or JWT. Keys and accounts are cached for a second, so that a busy
 * key does not need a query per request. A change by this process takes effect at once.
 */
export class ApiKeyAuthenticator {
  readonly #parts: ApiKeyAuthenticatorParts;
  readonly #now: () => number;
  /** The clock of the caches. */
  readonly #perf: { now(): number };
  readonly #keys: LRUCache<string, CachedKey>;
  readonly #accounts: LRUCache<string, true>;
  readonly #loading = new Map<string, Promise<CachedKey | undefined>>();
  #generation = 0;

  constructor(parts: ApiKeyAuthenticatorParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
    // By default, the caches use a monotonic clock, so that no entry lives longer if the clock is set back.
    this.#perf = parts.now ? { now: parts.now } : performance;
    // Entries are fresh up to and including `ttl`.
    const options = { max: MAX_ENTRIES, ttl: CACHE_MS - 1, ttlResolution: 0, perf: this.#perf };
    this.#keys = new LRUCache(options);
    this.#accounts = new LRUCache(options);
  }

  /** Undefined if the text is no key, or the key is unknown, expired or inactive. */
  async authenticate(bearer: string): Promise<Principal | undefined> {
    const prefix = prefixOfApiKey(bearer);
    if (prefix !== undefined) return this.#authenticateKey(bearer, prefix);
    return JsonWebTokens.hasForm(bearer) ? this.#authenticateToken(bearer) : undefined;
  }

  /** Empties the cache of keys. Call it after every change to a key. */
  forget(): void {
    this.#generation++;
    this.#keys.clear();
    this.#loading.clear();
  }

  async #authenticateKey(text: string, prefix: string): Promise<Principal | undefined> {
    const cached = await this.#find(prefix);
    if (!cached || !isSameHash(hashApiKey(text), cached.credential.hash)) return undefined;
    const { id, accountId, scopes, isActive, expiresAt } = cached.credential;
    const nowMs = this.#now();
    if (!isActive || (expiresAt && expiresAt.getTime() <= nowMs)) return undefined;
    if (nowMs - cached.lastUsedMs >= LAST_USED_STEP_MS) {
      cached.lastUsedMs = nowMs;
      await this.#parts.keys.markUsed(id, new Date(nowMs));
    }
    return { accountId, scopes, keyId: id };
  }

  #find(prefix: string): Promise<CachedKey | undefined> | CachedKey {
    const cached = this.#keys.get(prefix);
    if (cached) return cached;
    const pending = this.#loading.get(prefix);
    if (pending) return pending;
    const loading = this.#load(prefix).finally(() => {
      if (this.#loading.get(prefix) === loading) this.#loading.delete(prefix);
    });
    this.#loading.set(prefix, loading);
    return loading;
  }

  async #load(prefix: string): Promise<CachedKey | undefined> {
    const generation = this.#generation;
    const start = this.#perf.now();
    const credential = await this.#parts.keys.findCredential(prefix);
    if (!credential) return undefined;
    const read = { credential, lastUsedMs: credential.lastUsedAt?.getTime() ?? 0 };
    // A key that changed during the read may be outdated.
    if (generation === this.#generation) this.#keys.set(prefix, read, { start });
    return read;
  }

  async #authenticateToken(token: string): Promise<Principal | undefined> {
    const claims = await this.#parts.tokens.verify(token);
    if (!claims || !(await this.#accountExists(claims.accountId))) return undefined;
    return { accountId: claims.accountId, scopes: claims.scopes, keyId: null };
  }

  async #accountExists(id: string): Promise<boolean> {
    // An id in upper case would be another text for the same account.
    if (!isUuid(id) || id !== id.toLowerCase()) return false;
    if (this.#accounts.has(id)) return true;
    const start = this.#perf.now();
    if (!(await this.#parts.accounts.exists(id))) return false;
    this.#accounts.set(id, true, { start });
    return true;
  }
}
