import { describe, expect, it } from 'vitest';
import { requestsTo, withHttpApp } from '../../support/harness/app/http-app.js';

const TOKEN = 'a token of sixteen characters'.replaceAll(' ', '-');

describe('metrics without METRICS_TOKEN', () => {
  const ask = requestsTo(withHttpApp({ trustProxy: true }));

  it('are available to a direct client on this machine', async () => {
    const { status, headers, body } = await ask('GET', '/metrics', { key: null });
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toContain('event_loop_delay_seconds');
  });

  it.each([
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'Forwarded',
    'Via',
    'X-Real-IP',
    'CF-Connecting-IP',
    'True-Client-IP',
  ])('are refused to a request that a proxy forwarded with %s', async (name) => {
    const headers = { [name]: '127.0.0.1' };
    const { status, body } = await ask('GET', '/metrics/', { key: null, headers });
    expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
    expect(body.detail).toContain('METRICS_TOKEN');
  });

  it('limit the number of labels chosen by a client', async () => {
    for (const method of ['PROPFIND', 'MKCOL', 'SEARCH']) {
      await ask(method, `/nowhere/${method}`, { key: null });
    }
    const { body } = await ask('GET', '/metrics', { key: null });
    expect(body).toContain('http_requests_total{method="other",route="unmatched",status="404"} 3');
    expect(body).not.toMatch(/PROPFIND|MKCOL|SEARCH/);
  });
});

describe('metrics with METRICS_TOKEN', () => {
  const ask = requestsTo(withHttpApp({ metricsToken: TOKEN, trustProxy: true }));

  it('are available with the token, from anywhere', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9' };
    expect((await ask('GET', '/metrics', { key: TOKEN, headers })).status).toBe(200);
  });

  it('are refused without it, also on this machine, and failed attempts count', async () => {
    const { status, headers, body } = await ask('GET', '/metrics', { key: null });
    expect([status, headers.get('www-authenticate'), body.code]).toEqual([
      401,
      'Bearer',
      'UNAUTHORIZED',
    ]);
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) {
      statuses.push((await ask('GET', '/metrics', { key: `guess-${i}` })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await ask('GET', '/metrics', { key: TOKEN })).status).toBe(200);
  });
});
