import { describe, expect, it } from 'vitest';
import { requestsTo, withHttpApp } from '../../support/harness/app/http-app.js';

const app = withHttpApp();
const ask = requestsTo(app);

describe('request IDs', () => {
  it('are returned, or generated if they are absent or unsafe', async () => {
    const given = await ask('GET', '/healthz', { headers: { 'x-request-id': 'abc-1' } });
    expect(given.headers.get('x-request-id')).toBe('abc-1');
    const harmful = await ask('GET', '/healthz', { headers: { 'x-request-id': 'a b"c' } });
    expect(harmful.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('are part of every log line of the request', async () => {
    await ask('DELETE', '/api/v1/things/broken', { headers: { 'x-request-id': 'trace-me' } });
    await expect
      .poll(() =>
        app.logged.filter((line) => line.includes('trace-me')).map((l) => JSON.parse(l).msg),
      )
      .toEqual(['A request failed', 'request']);
  });
});

describe('rate limits', () => {
  it('return the remaining quota, and 429 with Retry-After beyond it', async () => {
    const first = await ask('GET', '/api/v1/things/best', { key: 'busy' });
    expect(first.headers.get('ratelimit-policy')).toBe('"account";q=200;w=60');
    expect(first.headers.get('ratelimit')).toMatch(/^"account";r=199;t=\d+$/);
    const all = await Promise.all(
      Array.from({ length: 200 }, () => ask('GET', '/api/v1/things/best', { key: 'busy' })),
    );
    const limited = all.filter(({ status }) => status === 429);
    expect(limited).toHaveLength(1);
    expect(limited[0]!.body.code).toBe('RATE_LIMITED');
    expect(Number(limited[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask('GET', '/api/v1/things/best')).status).toBe(200);
  });

  it('block clients with wrong keys, but no others behind the same address', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 7; i++) {
      statuses.push((await ask('GET', '/api/v1/things/best', { key: 'wrong' })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect((await ask('GET', '/api/v1/things/best')).status).toBe(200);
  });
});

describe('root endpoints', () => {
  it('report readiness if all required parts are up, and name those that are down', async () => {
    const ready = await ask('GET', '/readyz', { key: null });
    expect([ready.status, ready.body]).toEqual([
      200,
      { status: 'ready', parts: { database: 'up', livekit: 'not configured' } },
    ]);
    app.isDatabaseUp = false;
    const notReady = await ask('GET', '/readyz', { key: null });
    app.isDatabaseUp = true;
    expect([notReady.status, notReady.body.parts.database]).toEqual([503, 'away']);
  });

  it('count requests by route, never by path', async () => {
    await ask('GET', '/api/v1/things/12345');
    const { body } = await ask('GET', '/metrics', { key: null });
    expect(body).toMatch(
      /http_request_duration_seconds_count\{.*route="\/api\/v1\/things\/\{thing_id\}"/,
    );
    expect(body).toContain('event_loop_delay_seconds{quantile="0.99"}');
    expect(body).not.toContain('12345');
  });

  it('document the routes by their validation schemas', async () => {
    const { status, body } = await ask('GET', '/openapi.json', { key: null });
    expect([status, body.openapi]).toEqual([200, '3.1.0']);
    const echo = body.paths['/api/v1/echo/'].post;
    expect(echo.requestBody.content['application/json'].schema).toMatchObject({
      required: ['text'],
      properties: { text: { type: 'string', minLength: 1 }, level: { default: 1, maximum: 2 } },
    });
    const statuses = '200 401 403 413 415 422 429 500 503'.split(' ');
    expect(Object.keys(echo.responses)).toEqual(statuses);
    const bodyOf = (code: string) => echo.responses[code].content['application/json'];
    expect(bodyOf('422').schema.$ref).toMatch(/HTTPValidationError$/);
    expect(bodyOf('403')).toMatchObject({
      schema: { $ref: '#/components/schemas/ErrorResponse' },
      example: { code: 'FORBIDDEN' },
    });
    expect(echo.security).toEqual([{ bearer: ['speech'] }]);
    expect(echo.requestBody.content['application/json'].example).toMatchObject({ level: 1 });
  });

  it('serve the documents and the page from this server only', async () => {
    const docs = await ask('GET', '/docs/', { key: null });
    const start = await ask('GET', '/docs/start.js', { key: null });
    // Keys stay in the page's memory, so that a shared browser stores none.
    expect(start.body).not.toContain('persistAuthorization');
    expect(docs.status).toBe(200);
    for (const [, path] of docs.body.matchAll(/(?:src|href)="([^"]+)"/g)) {
      if (path === 'data:,') continue; // no icon
      expect(path).toMatch(/^\//);
      expect((await ask('GET', path!, { key: null })).status).toBe(200);
    }
    expect(docs.headers.get('content-security-policy')).toContain("script-src 'self'");
    const page = await ask('GET', '/', { key: null });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
  });
});
