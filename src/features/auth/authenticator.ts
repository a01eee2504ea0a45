import type { Principal } from '../../platform/http/route.js';
import { isSameHash } from '../../platform/secrets/timing-safe-equal.js';
import type { AccountsRepository } from './accounts.repository.js';
import { hashApiKey, prefixOfApiKey } from './api-key.js';
import type { ApiKeyCredential, ApiKeysRepository } from './api-keys.repository.js';
import { BoundedCache } from './bounded-cache.js';
import { JsonWebTokens } from './json-web-tokens.js';

/** How long another gateway's change to a key may stay unseen here. */
const CACHE_MS = 1_000;
const CACHE_LIMIT = 1_000;
/** `last_used_at` is written at most this often a key. */
const LAST_USED_STEP_MS = 60_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A key as it was read, with the one field that changes here. */
interface Held {
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
 * Says who a bearer key or token belongs to. What was read is kept for a second, so that a busy key
 * costs no query a request; a change made in this process holds at once.
 */
export class ApiKeyAuthenticator {
  readonly #parts: ApiKeyAuthenticatorParts;
  readonly #now: () => number;
  readonly #held = new BoundedCache<Held>(CACHE_LIMIT, CACHE_MS);
  readonly #accounts = new BoundedCache<true>(CACHE_LIMIT, CACHE_MS);
  readonly #loading = new Map<string, Promise<Held | undefined>>();
  #generation = 0;

  constructor(parts: ApiKeyAuthenticatorParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
  }

  /** Undefined when the text is no key, or one that is unknown, expired or switched off. */
  async authenticate(bearer: string): Promise<Principal | undefined> {
    const prefix = prefixOfApiKey(bearer);
    if (prefix !== undefined) return this.#authenticateKey(bearer, prefix);
    return JsonWebTokens.hasForm(bearer) ? this.#authenticateToken(bearer) : undefined;
  }

  /** To be called after every change to a key: what was read before is no longer believed. */
  forget(): void {
    this.#generation++;
    this.#held.clear();
    this.#loading.clear();
  }

  async #authenticateKey(text: string, prefix: string): Promise<Principal | undefined> {
    const held = await this.#find(prefix);
    if (!held || !isSameHash(hashApiKey(text), held.credential.hash)) return undefined;
    const { id, accountId, scopes, isActive, expiresAt } = held.credential;
    const nowMs = this.#now();
    if (!isActive || (expiresAt && expiresAt.getTime() <= nowMs)) return undefined;
    if (nowMs - held.lastUsedMs >= LAST_USED_STEP_MS) {
      held.lastUsedMs = nowMs;
      await this.#parts.keys.markUsed(id, new Date(nowMs));
    }
    return { accountId, scopes, keyId: id };
  }

  #find(prefix: string): Promise<Held | undefined> | Held {
    const held = this.#held.get(prefix, this.#now());
    if (held) return held;
    const pending = this.#loading.get(prefix);
    if (pending) return pending;
    const loading = this.#load(prefix).finally(() => {
      if (this.#loading.get(prefix) === loading) this.#loading.delete(prefix);
    });
    this.#loading.set(prefix, loading);
    return loading;
  }

  async #load(prefix: string): Promise<Held | undefined> {
    const generation = this.#generation;
    const askedMs = this.#now();
    const credential = await this.#parts.keys.findCredential(prefix);
    if (!credential) return undefined;
    const held = { credential, lastUsedMs: credential.lastUsedAt?.getTime() ?? 0 };
    // A key that changed while it was being read may have been read as it was before.
    if (generation === this.#generation) this.#held.set(prefix, held, askedMs);
    return held;
  }

  async #authenticateToken(token: string): Promise<Principal | undefined> {
    const claims = await this.#parts.tokens.verify(token);
    if (!claims || !(await this.#accountExists(claims.accountId))) return undefined;
    return { accountId: claims.accountId, scopes: claims.scopes, keyId: null };
  }

  async #accountExists(id: string): Promise<boolean> {
    if (!UUID.test(id)) return false;
    const nowMs = this.#now();
    if (this.#accounts.get(id, nowMs)) return true;
    if (!(await this.#parts.accounts.exists(id))) return false;
    this.#accounts.set(id, true, nowMs);
    return true;
  }
}
