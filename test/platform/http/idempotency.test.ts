import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { IdempotencyRepository } from '../../../src/platform/http/idempotency.repository.js';
import type { Scope } from '../../../src/platform/http/scopes.js';
import { withControlPlane } from '../../support/harness/app/control-plane-app.js';

const plane = withControlPlane();
const AGENT = { name: 'Pool', config: {} };
const keyed = (key: string) => ({ 'idempotency-key': key });

describe('repeated request with the same Idempotency-Key', () => {
  it('returns the first response and creates nothing', async () => {
    const ask = await plane.asNewAccount();
    const first = await ask('POST', '/agent', AGENT, keyed('order-1'));
    const again = await ask('POST', '/agent/', { config: {}, name: 'Pool' }, keyed('order-1'));
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect((await ask('GET', '/agent')).body).toHaveLength(1);
  });

  it('is rejected with 422 if it differs from the first one', async () => {
    const ask = await plane.asNewAccount();
    await ask('POST', '/agent', AGENT, keyed('order-1'));
    for (const [path, body] of [
      ['/agent', { ...AGENT, name: 'Other' }],
      ['/auth/api-key', { name: 'Pool' }],
    ] as const) {
      const { status, body: fault } = await ask('POST', path, body, keyed('order-1'));
      expect(status).toBe(422);
      expect(fault.detail[0]).toMatchObject({
        type: 'value_error',
        loc: ['header', 'Idempotency-Key'],
        msg: 'Value error, this key was used for another request: use a new key',
      });
    }
  });

  it('is executed once if many arrive concurrently; the others get 409 or the same response', async () => {
    const ask = await plane.asNewAccount();
    const all = await Promise.all(
      Array.from({ length: 12 }, () => ask('POST', '/agent', AGENT, keyed('burst'))),
    );
    const made = all.filter(({ status }) => status === 201);
    const waiting = all.filter(({ status }) => status === 409);
    expect(made.length + waiting.length).toBe(12);
    expect(new Set(made.map(({ body }) => body.agent_id)).size).toBe(1);
    for (const { headers, body } of waiting) {
      expect(body.code).toBe('IDEMPOTENCY_IN_PROGRESS');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await ask('GET', '/agent')).body).toHaveLength(1);
  });

  it('returns 409 while the first one is running', async () => {
    const accountId = await plane.makeAccount();
    const ask = plane.askAs(await plane.makeKey(accountId));
    const made = await ask('POST', '/agent', AGENT, keyed('slow'));
    await plane.database.db('idempotent_answers').where({ key: 'slow' }).update({ answer: null });
    expect((await ask('POST', '/agent', AGENT, keyed('slow'))).status).toBe(409);
    expect(made.status).toBe(201);
  });

  it('is executed again if the first one failed', async () => {
    const ask = await plane.asNewAccount();
    const wrong = { ...AGENT, kb_id: 99 };
    expect((await ask('POST', '/agent', wrong, keyed('again'))).status).toBe(404);
    expect((await ask('POST', '/agent', AGENT, keyed('again'))).status).toBe(201);
  });

  it('is specific to the account', async () => {
    const [one, other] = [await plane.asNewAccount(), await plane.asNewAccount()];
    const first = await one('POST', '/agent', AGENT, keyed('same'));
    const second = await other('POST', '/agent', AGENT, keyed('same'));
    expect(second.status).toBe(201);
    expect(second.body.agent_id).not.toBe(first.body.agent_id);
  });

  it('is specific to the API key: another key of the account gets none of the response', async () => {
    const accountId = await plane.makeAccount();
    const admin = plane.askAs(await plane.makeKey(accountId));
    const weak = plane.askAs(await plane.makeKey(accountId, ['keys', 'agents']));
    const wanted = { name: 'mighty', scopes: ['*'] };
    const made = await admin('POST', '/auth/api-key', wanted, keyed('grant'));
    expect(made.status).toBe(201);
    const stolen = await weak('POST', '/auth/api-key', wanted, keyed('grant'));
    expect([stolen.status, stolen.body.code]).toEqual([403, 'FORBIDDEN']);
    expect(JSON.stringify(stolen.body)).not.toContain(made.body.api_key);
    const first = await admin('POST', '/agent', AGENT, keyed('agent'));
    const other = await weak('POST', '/agent', AGENT, keyed('agent'));
    expect([other.status, other.headers.get('idempotency-replayed')]).toEqual([201, null]);
    expect(other.body.agent_id).not.toBe(first.body.agent_id);
  });

  it('is rejected if its API key has lost the required scope', async () => {
    const accountId = await plane.makeAccount();
    const admin = plane.askAs(await plane.makeKey(accountId));
    const made = await admin('POST', '/auth/api-key', {
      name: 'delegate',
      scopes: ['keys', 'calls'],
    });
    const delegate = plane.askAs(made.body.api_key);
    const wanted = { name: 'x', scopes: ['calls'] };
    const first = await delegate('POST', '/auth/api-key', wanted, keyed('grant'));
    expect(first.status).toBe(201);
    await admin('PUT', `/auth/api-key/${made.body.key_info.id}`, { scopes: ['keys'] });
    const again = await delegate('POST', '/auth/api-key', wanted, keyed('grant'));
    expect([again.status, again.body.detail]).toEqual([403, 'Missing scope: calls']);
  });

  it('is specific to the scopes of a JWT, in any order', async () => {
    const accountId = await plane.makeAccount();
    const asToken = async (...scopes: Scope[]) => {
      const expires = new Date(Date.now() + 60_000);
      return plane.askAs(await plane.tokens.issue(accountId, scopes, expires));
    };
    const one = await (await asToken('agents', 'calls'))('POST', '/agent', AGENT, keyed('jwt'));
    const same = await (await asToken('calls', 'agents'))('POST', '/agent', AGENT, keyed('jwt'));
    const other = await (await asToken('agents'))('POST', '/agent', AGENT, keyed('jwt'));
    expect(same.body.agent_id).toBe(one.body.agent_id);
    expect(other.status).toBe(201);
    expect(other.body.agent_id).not.toBe(one.body.agent_id);
  });

  it('is executed again after a day, and if the first one died with its gateway', async () => {
    const accountId = await plane.makeAccount();
    const ask = plane.askAs(await plane.makeKey(accountId));
    const rows = () => plane.database.db('idempotent_answers').where({ account_id: accountId });
    const first = await ask('POST', '/agent', AGENT, keyed('old'));
    await rows().update({ created_at: plane.database.db.raw(`now() - interval '25 hours'`) });
    const second = await ask('POST', '/agent', AGENT, keyed('old'));
    expect(second.body.agent_id).not.toBe(first.body.agent_id);
    await rows().update({
      answer: null,
      created_at: plane.database.db.raw(`now() - interval '6 minutes'`),
    });
    const third = await ask('POST', '/agent', AGENT, keyed('old'));
    expect(third.status).toBe(201);
    expect(third.body.agent_id).not.toBe(second.body.agent_id);
  });
});

describe('stored responses', () => {
  it('are encrypted and contain no API key, which a repetition does not return again', async () => {
    const accountId = await plane.makeAccount();
    const token = await plane.makeKey(accountId);
    const { keyId } = (await plane.authenticator.authenticate(token))!;
    const ask = plane.askAs(token);
    const { body } = await ask('POST', '/auth/api-key', { name: 'shown once' }, keyed('secret'));
    const row = await plane.database.db('idempotent_answers').where({ key: 'secret' }).first();
    expect(row.answer).toMatch(/^sealed:/);
    const place = `idempotent-answer ${accountId} key:${keyId} secret`;
    const opened = plane.box.open(row.answer, place);
    expect(opened).toContain('shown once');
    expect(opened).not.toContain('vk_');
    const again = await ask('POST', '/auth/api-key', { name: 'shown once' }, keyed('secret'));
    expect([again.status, again.body.code]).toEqual([409, 'SECRET_ALREADY_SHOWN']);
    expect(again.body.detail).toContain(`id ${body.key_info.id}`);
    expect(JSON.stringify(again.body)).not.toContain('vk_');
    expect((await ask('GET', '/auth/api-key')).body.total_keys).toBe(2);
  });

  it('are limited per account: the oldest are deleted first', async () => {
    const accountId = await plane.makeAccount();
    const repository = new IdempotencyRepository(plane.database.db, 3);
    const hash = Buffer.alloc(32);
    for (const key of ['a', 'b', 'c', 'd', 'e']) {
      const request = { accountId, principal: 'key:1', key, hash };
      await repository.reserve(request);
      await repository.keep(request, 'answer');
      await new Promise((resolve) => setTimeout(resolve, 3)); // at least one millisecond apart
    }
    const left = await plane.database.db('idempotent_answers').where({ account_id: accountId });
    expect(left.map(({ key }) => key).sort()).toEqual(['c', 'd', 'e']);
  });
});

it('keys that are empty, too long or not visible are rejected', async () => {
  const ask = await plane.asNewAccount();
  for (const key of ['x'.repeat(256), 'é']) {
    expect((await ask('POST', '/agent', AGENT, keyed(key))).status).toBe(422);
  }
  expect((await ask('POST', '/agent', AGENT, keyed(randomUUID()))).status).toBe(201);
});
