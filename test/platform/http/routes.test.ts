import { describe, expect, it } from 'vitest';
import { requestsTo, withHttpApp } from '../../support/harness/app/http-app.js';

const app = withHttpApp();
const ask = requestsTo(app);

describe('order of checks', () => {
  it('an unknown path returns 404 without a key', async () => {
    const { status, body } = await ask('GET', '/api/v1/nowhere', { key: null });
    expect(status).toBe(404);
    expect(body).toEqual({
      error: 'There is nothing at this path',
      detail: null,
      code: 'NOT_FOUND',
    });
  });

  it('the allowed methods of a path are listed', async () => {
    const { status, headers, body } = await ask('PATCH', '/api/v1/things/best', { key: null });
    expect([status, headers.get('allow'), body.code]).toEqual([
      405,
      'GET, HEAD',
      'METHOD_NOT_ALLOWED',
    ]);
    const { headers: ofOne } = await ask('PATCH', '/api/v1/things/7', { key: null });
    expect(ofOne.get('allow')).toBe('DELETE, GET, HEAD');
    expect((await ask('DELETE', '/api/v1/things/best')).status).toBe(405);
    expect((await ask('POST', '/metrics')).status).toBe(405);
  });

  it('a key is required before the body is validated', async () => {
    const { status, headers, body } = await ask('POST', '/api/v1/echo', { key: null, body: '{' });
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Bearer');
    expect(body.code).toBe('UNAUTHORIZED');
  });

  it('a missing scope is reported before the input is validated', async () => {
    const { status, body } = await ask('DELETE', '/api/v1/things/none', { key: 'speech' });
    expect(status).toBe(403);
    expect(body).toMatchObject({ code: 'FORBIDDEN', detail: 'Missing scope: agents' });
  });
});

describe('API responses', () => {
  it.each([
    [200, 'GET', '/api/v1/things/best', 'all'],
    [401, 'GET', '/api/v1/things/best', null],
    [403, 'DELETE', '/api/v1/things/1', 'speech'],
    [404, 'GET', '/api/v1/nowhere', 'all'],
    [422, 'GET', '/api/v1/things/x', 'all'],
  ])('with status %i are not cacheable', async (expected, method, path, key) => {
    const { status, headers } = await ask(method, path, { key });
    expect([status, headers.get('cache-control')]).toEqual([expected, 'no-store']);
  });
});

describe('routes', () => {
  it('accept a trailing slash without a redirect', async () => {
    for (const path of ['/api/v1/echo', '/api/v1/echo/']) {
      const { status, body } = await ask('POST', path, { body: { text: 'x', other: 1 } });
      expect([status, body]).toEqual([200, { text: 'x', level: 1 }]);
    }
  });

  it('with fixed paths take precedence over IDs', async () => {
    expect((await ask('GET', '/api/v1/things/best')).body).toEqual({ best: true });
  });

  it('parse repeated query parameters as lists, or use the last one', async () => {
    const { body } = await ask('GET', '/api/v1/things/7?state=a&state=b&page=1&page=2');
    expect(body).toEqual({ thing_id: 7, page: 2, state: ['a', 'b'], of: 'a1' });
  });

  it('report errors of path and query together', async () => {
    const { status, body } = await ask('GET', '/api/v1/things/x?page=0');
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([
      { type: 'int_parsing', loc: ['path', 'thing_id'], input: 'x' },
      { type: 'greater_than_equal', loc: ['query', 'page'], input: '0', ctx: { ge: 1 } },
    ]);
  });

  it('answer 204 without a body', async () => {
    const { status, body, headers } = await ask('DELETE', '/api/v1/things/1');
    expect([status, body, headers.get('content-type')]).toEqual([204, '', null]);
  });

  it('return the code, status and detail of an ApiError', async () => {
    const { status, body } = await ask('DELETE', '/api/v1/things/none');
    expect([status, body]).toEqual([
      404,
      { error: 'No agent has this id', detail: 'look again', code: 'AGENT_NOT_FOUND' },
    ]);
  });

  it('return no details of internal errors', async () => {
    const { status, body } = await ask('DELETE', '/api/v1/things/broken');
    expect(status).toBe(500);
    expect(body).toMatchObject({ code: 'INTERNAL_ERROR', detail: null });
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it('return 404 for paths that cannot be decoded or stored', async () => {
    expect((await ask('GET', '/api/v1/things/%ff')).status).toBe(404);
    expect((await ask('GET', '/api/v1/things/a%00b')).status).toBe(404);
  });
});

describe('client that disconnects', () => {
  it('aborts the signal of its handler', async () => {
    const client = new AbortController();
    const response = await fetch(`${app.url}/api/v1/slow`, {
      headers: { authorization: 'Bearer all', 'x-request-id': 'leaving' },
      signal: client.signal,
    });
    expect(response.status).toBe(200);
    client.abort();
    await expect.poll(() => app.aborted).toContain('leaving');
  });

  it('never receives a broken response that looks complete', async () => {
    const response = await fetch(`${app.url}/api/v1/cut`, {
      headers: { authorization: 'Bearer all' },
    });
    await expect(response.text()).rejects.toThrow();
  });
});
