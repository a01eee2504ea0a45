import { SignJWT } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AccountsRepository } from '../../../src/features/auth/accounts.repository.js';
import { makeApiKey } from '../../../src/features/auth/api-key.js';
import { ApiKeysRepository } from '../../../src/features/auth/api-keys.repository.js';
import { ApiKeyAuthenticator } from '../../../src/features/auth/authenticator.js';
import { JsonWebTokens } from '../../../src/features/auth/json-web-tokens.js';
import { SecretKeys } from '../../../src/platform/secrets/secret-keys.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';

const database = withDatabase({ emptied: 'before-each' });
const secrets = new SecretKeys(['the secret of the tests']);
const DAY_MS = 86_400_000;

/** An authenticator on a clock set by the test, which counts its queries. */
async function setUp({ expiresAt = null }: { expiresAt?: Date | null } = {}) {
  const { db } = database;
  const keys = new ApiKeysRepository(db);
  const accounts = new AccountsRepository(db);
  const accountId = await accounts.insert('An account');
  const key = makeApiKey();
  const fields = { name: 'x', description: null, scopes: ['agents'], isActive: true } as const;
  const { id } = await keys.insert(accountId, key, { ...fields, expiresAt });
  const clock = { nowMs: Date.now() };
  const tokens = new JsonWebTokens(secrets);
  const directory = new ApiKeyAuthenticator({ keys, accounts, tokens, now: () => clock.nowMs });
  let queries = 0;
  const count = () => {
    queries++;
  };
  db.on('query', count);
  onTestFinished(() => void db.removeListener('query', count));
  const countQueries = () => {
    const counted = queries;
    queries = 0;
    return counted;
  };
  return { directory, keys, tokens, accountId, key, id, clock, countQueries };
}

describe('API key authenticator', () => {
  it('returns the account of a key', async () => {
    const { directory, accountId, key, id } = await setUp();
    const principal = await directory.authenticate(key.text);
    expect(principal).toEqual({ accountId, keyId: id, scopes: ['agents'] });
  });

  it('rejects every text except for the exact key', async () => {
    const { directory, key } = await setUp();
    const wrong = key.text.slice(0, -1) + (key.text.endsWith('0') ? '1' : '0');
    const others = [
      wrong,
      makeApiKey().text,
      key.prefix,
      `${key.text} `,
      '',
      'a.b.c',
      'x'.repeat(9e4),
    ];
    for (const text of [...others, key.text.toUpperCase()]) {
      expect(await directory.authenticate(text), text.slice(0, 80)).toBeUndefined();
    }
  });

  it('queries the database once for a hundred requests with the same key', async () => {
    const { directory, key, countQueries } = await setUp();
    await directory.authenticate(key.text); // also updates the time of last use
    countQueries();
    directory.forget();
    await Promise.all(Array.from({ length: 100 }, () => directory.authenticate(key.text)));
    expect(countQueries()).toBe(1);
    for (let i = 0; i < 100; i++) await directory.authenticate(key.text);
    expect(countQueries()).toBe(0);
  });

  it('applies changes by another gateway within a second', async () => {
    const { directory, keys, accountId, key, id, clock } = await setUp();
    expect(await directory.authenticate(key.text)).toBeDefined();
    await keys.update(accountId, id, { isActive: false });
    clock.nowMs += 1_000;
    expect(await directory.authenticate(key.text)).toBeUndefined();
  });

  it('does not cache a result that was read during a change of the key', async () => {
    const { directory, keys, accountId, key, id } = await setUp();
    const early = directory.authenticate(key.text);
    await keys.update(accountId, id, { isActive: false });
    directory.forget();
    await early;
    expect(await directory.authenticate(key.text)).toBeUndefined();
  });

  it('rejects a key from its expiry on, cached or not', async () => {
    const expiresAt = new Date(Date.now() + 500);
    const { directory, key, clock } = await setUp({ expiresAt });
    clock.nowMs = expiresAt.getTime() - 1;
    expect(await directory.authenticate(key.text)).toBeDefined();
    clock.nowMs = expiresAt.getTime();
    expect(await directory.authenticate(key.text)).toBeUndefined();
  });

  it('stores the time of last use at most once a minute', async () => {
    const { directory, keys, accountId, key, id, clock } = await setUp();
    const lastUsed = async () => (await keys.find(accountId, id))?.lastUsedAt?.getTime();
    await directory.authenticate(key.text);
    const first = clock.nowMs;
    expect(await lastUsed()).toBe(first);
    clock.nowMs = first + 59_000;
    await directory.authenticate(key.text);
    expect(await lastUsed()).toBe(first);
    clock.nowMs = first + 61_000;
    await directory.authenticate(key.text);
    expect(await lastUsed()).toBe(first + 61_000);
  });
});

describe('JSON web tokens', () => {
  it('authenticate as their account with their scopes', async () => {
    const { directory, tokens, accountId } = await setUp();
    const token = await tokens.issue(accountId, ['agents', 'calls'], new Date(Date.now() + DAY_MS));
    const principal = await directory.authenticate(token);
    expect(principal).toEqual({ accountId, keyId: null, scopes: ['agents', 'calls'] });
  });

  it('are rejected if they are expired, unlimited, unsigned, or have another secret or no account', async () => {
    const { directory, tokens, accountId } = await setUp();
    const tomorrow = new Date(Date.now() + DAY_MS);
    const own = secrets.derive('json-web-tokens')[0].bytes;
    const sign = (key: Uint8Array, claims: Record<string, unknown>) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(key);
    const exp = Math.floor(tomorrow.getTime() / 1000);
    const unsigned = [{ alg: 'none' }, { sub: accountId, exp, scope: '*' }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const good = await tokens.issue(accountId, ['*'], tomorrow);
    const refused = {
      expired: await tokens.issue(accountId, ['*'], new Date(Date.now() - 60_000)),
      endless: await sign(own, { sub: accountId, scope: '*' }),
      unsigned: `${unsigned}.`,
      'of another purpose': await sign(secrets.derive('call-tokens')[0].bytes, {
        sub: accountId,
        exp,
      }),
      'of no account': await tokens.issue(crypto.randomUUID(), ['*'], tomorrow),
      'of no uuid': await tokens.issue("x'; drop table accounts", ['*'], tomorrow),
      tampered: good.replace(/\.[^.]+\./, `.${unsigned.split('.')[1]}.`),
    };
    expect(await directory.authenticate(good)).toBeDefined();
    for (const [name, token] of Object.entries(refused)) {
      expect(await directory.authenticate(token), name).toBeUndefined();
    }
  });

  it('have no permissions if none of their scopes exists', async () => {
    const { directory, tokens, accountId } = await setUp();
    const token = await tokens.issue(accountId, [], new Date(Date.now() + DAY_MS));
    expect((await directory.authenticate(token))?.scopes).toEqual([]);
  });

  it('stay valid after a rotation of the secret', async () => {
    const { tokens, accountId } = await setUp();
    const token = await tokens.issue(accountId, ['*'], new Date(Date.now() + DAY_MS));
    const rotated = new JsonWebTokens(
      new SecretKeys(['a newer secret of the tests', 'the secret of the tests']),
    );
    expect((await rotated.verify(token))?.accountId).toBe(accountId);
    expect(
      await new JsonWebTokens(new SecretKeys(['a newer secret of the tests'])).verify(token),
    ).toBe(undefined);
  });
});
