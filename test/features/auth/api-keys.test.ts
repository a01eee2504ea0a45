import { describe, expect, it } from 'vitest';
import { withControlPlane } from '../../support/harness/app/control-plane-app.js';

const plane = withControlPlane();
const PATH = '/auth/api-key';

async function createKey(body: Record<string, unknown> = {}) {
  const ask = await plane.asNewAccount();
  const { status, body: made } = await ask('POST', PATH, { name: 'made', ...body });
  expect(status).toBe(201);
  return { ask, key: made.api_key as string, info: made.key_info };
}

describe('API keys over HTTP', () => {
  it('are returned once and valid immediately', async () => {
    const { ask, key, info } = await createKey({ description: 'of a test', scopes: ['agents'] });
    expect(key).toMatch(/^vk_/);
    expect(info).toEqual({
      id: expect.any(Number),
      name: 'made',
      description: 'of a test',
      is_active: true,
      scopes: ['agents'],
      created_at: expect.stringMatching(/Z$/),
      last_used_at: null,
      expires_at: null,
    });
    expect((await plane.askAs(key)('GET', '/agent')).status).toBe(200);
    const listed = (await ask('GET', PATH)).body;
    expect(listed.total_keys).toBe(2);
    expect(listed.api_keys[0]).toEqual({ ...info, last_used_at: expect.any(String) });
    expect(JSON.stringify(listed)).not.toContain(key.slice(20));
  });

  it('are stored as hashes only', async () => {
    const { key } = await createKey();
    const { rows } = await plane.database.db.raw(
      'select row_to_json(api_keys) as row from api_keys',
    );
    expect(JSON.stringify(rows)).not.toContain(key.split('_')[2]);
  });

  it('are rejected by routes outside of their scopes, and the error names the scope', async () => {
    const { key } = await createKey({ scopes: ['speech'] });
    const { status, body } = await plane.askAs(key)('GET', '/agent');
    expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
    expect(body.detail).toContain('agents');
  });

  it('cannot grant scopes that they lack, neither on creation nor by an update', async () => {
    const account = await plane.makeAccount();
    const mighty = plane.askAs(await plane.makeKey(account));
    const weak = plane.askAs(await plane.makeKey(account, ['keys', 'agents']));
    for (const scopes of [['speech'], ['*'], ['agents', 'calls']]) {
      const { status, body } = await weak('POST', PATH, { name: 'x', scopes });
      expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
    }
    const own = (await weak('POST', PATH, { name: 'x' })).body.key_info;
    expect(own.scopes).toEqual(['keys', 'agents']);
    expect((await weak('PUT', `${PATH}/${own.id}`, { scopes: ['*'] })).status).toBe(403);
    const other = (await mighty('POST', PATH, { name: 'mighty', scopes: ['*'] })).body.key_info;
    await mighty('PUT', `${PATH}/${other.id}`, { is_active: false });
    expect((await weak('PUT', `${PATH}/${other.id}`, { is_active: true })).status).toBe(403);
    expect((await weak('PUT', `${PATH}/${other.id}`, { expires_at: null })).status).toBe(403);
    expect((await weak('PUT', `${PATH}/${other.id}`, { name: 'renamed' })).status).toBe(200);
  });

  it('with the scope calls can grant the narrower call scopes, but not the other way round', async () => {
    const account = await plane.makeAccount();
    const wide = plane.askAs(await plane.makeKey(account, ['keys', 'calls']));
    const narrow = await wide('POST', PATH, { name: 'x', scopes: ['keys', 'calls:start'] });
    expect([narrow.status, narrow.body.key_info.scopes]).toEqual([201, ['keys', 'calls:start']]);
    for (const scopes of [['calls'], ['calls:monitor']]) {
      const ask = plane.askAs(narrow.body.api_key);
      const { status, body } = await ask('POST', PATH, { name: 'x', scopes });
      expect([status, body.detail]).toEqual([403, `Missing scope: ${scopes[0]}`]);
    }
  });

  it('become invalid immediately when they are deactivated, expire or are deleted', async () => {
    const { ask, key, info } = await createKey();
    const path = `${PATH}/${info.id}`;
    const works = async () => (await plane.askAs(key)('GET', PATH)).status === 200;
    expect(await works()).toBe(true);
    await ask('PUT', path, { is_active: false });
    expect(await works()).toBe(false);
    await ask('PUT', path, { is_active: true });
    expect(await works()).toBe(true);
    await ask('PUT', path, { expires_at: '2020-01-01T00:00:00Z' });
    expect(await works()).toBe(false);
    await ask('PUT', path, { expires_at: null });
    expect(await works()).toBe(true);
    const { status, body } = await ask('DELETE', path);
    expect([status, body]).toEqual([204, '']);
    expect(await works()).toBe(false);
    expect((await ask('GET', path)).status).toBe(404);
  });

  it('keep fields that an update omits, and lose fields set to null', async () => {
    const { ask, info } = await createKey({
      description: 'before',
      expires_at: '2999-01-01T00:00:00+02:00',
    });
    expect(info.expires_at).toBe('2998-12-31T22:00:00.000Z');
    const path = `${PATH}/${info.id}`;
    const renamed = (await ask('PUT', path, { name: 'after' })).body;
    expect(renamed).toEqual({ ...info, name: 'after' });
    const cleared = (await ask('PUT', path, { description: null, expires_at: null })).body;
    expect(cleared).toEqual({ ...renamed, description: null, expires_at: null });
    expect((await ask('PUT', path, {})).body).toEqual(cleared);
  });

  it('of other accounts and with unknown IDs return 404', async () => {
    const { info } = await createKey();
    const otherAccount = await plane.asNewAccount();
    for (const id of [info.id, 'x', '0', '-1', '2147483648', '99999999999999999999', '1e3']) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const { status, body } = await otherAccount(
          method,
          `${PATH}/${id}`,
          method === 'PUT' ? { name: 'stolen' } : undefined,
        );
        expect([method, id, status, body.code]).toEqual([method, id, 404, 'API_KEY_NOT_FOUND']);
      }
    }
  });

  it.each([
    [{}, 'missing', ['body', 'name']],
    [{ name: '' }, 'string_too_short', ['body', 'name']],
    [{ name: 'x'.repeat(101) }, 'string_too_long', ['body', 'name']],
    [{ name: 'x', description: 'y'.repeat(501) }, 'string_too_long', ['body', 'description']],
    [{ name: 'x', scopes: ['agents', 'root'] }, 'enum', ['body', 'scopes', 1]],
    [{ name: 'x', scopes: 'agents' }, 'list_type', ['body', 'scopes']],
    [{ name: 'x', expires_at: 'soon' }, 'datetime_parsing', ['body', 'expires_at']],
    [{ name: 'x', expires_at: '2026-02-30T00:00:00Z' }, 'datetime_parsing', ['body', 'expires_at']],
    [{ name: 'x', expires_at: true }, 'datetime_type', ['body', 'expires_at']],
  ])('are rejected for %j', async (body, type, loc) => {
    const ask = await plane.asNewAccount();
    const answer = await ask('POST', PATH, body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toMatchObject([{ type, loc }]);
  });
});
