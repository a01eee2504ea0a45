import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/app.js';
import { ApiError } from '../../src/errors.js';
import { float, int, list, model, str } from '../../src/http/fields.js';
import { RateLimiter } from '../../src/http/rate-limit.js';
import { type Principal, reply, route, SENT } from '../../src/http/route.js';
import { Metrics } from '../../src/metrics.js';

const aborted: string[] = [];

const routes = [
  route({
    method: 'post',
    path: '/echo/',
    scope: 'speech',
    summary: 'Echo',
    tag: 'test',
    body: model({ text: str({ min: 1 }), level: float({ ge: 0, le: 2 }).default(1) }),
    responses: { 200: { description: 'What was sent', schema: model({ text: str() }) } },
    handle: ({ body }) => body,
  }),
  route({
    method: 'get',
    path: '/things/{thing_id}',
    scope: 'any',
    summary: 'Read a thing',
    tag: 'test',
    params: model({ thing_id: int() }),
    query: model({ page: int({ ge: 1 }).optional(), state: list(str()).optional() }),
    responses: { 200: { description: 'The thing' } },
    handle: ({ params, query, principal }) => ({ ...params, ...query, of: principal.accountId }),
  }),
  route({
    method: 'get',
    path: '/things/best',
    scope: 'any',
    summary: 'Read the best thing',
    tag: 'test',
    responses: { 200: { description: 'The best thing' } },
    handle: () => ({ best: true }),
  }),
  route({
    method: 'delete',
    path: '/things/{thing_id}',
    scope: 'agents',
    summary: 'Delete a thing',
    tag: 'test',
    params: model({ thing_id: str() }),
    responses: { 204: { description: 'Gone' } },
    handle: ({ params }) => {
      if (params.thing_id === 'broken') throw new Error('secret words inside');
      if (params.thing_id === 'none') {
        throw new ApiError('AGENT_NOT_FOUND', 'No agent has this id', { detail: 'look again' });
      }
      return reply(204);
    },
  }),
  route({
    method: 'get',
    path: '/slow',
    scope: 'any',
    summary: 'Wait for the client to go',
    tag: 'test',
    responses: { 200: { description: 'Never' } },
    handle: ({ signal, res, requestId }) =>
      new Promise((resolve) => {
        res.write('begun');
        signal.addEventListener('abort', () => {
          aborted.push(requestId);
          resolve(SENT);
        });
      }),
  }),
  route({
    method: 'get',
    path: '/cut',
    scope: 'any',
    summary: 'Fail in the middle',
    tag: 'test',
    responses: { 200: { description: 'Never whole' } },
    handle: async ({ res }) => {
      res.write('begun');
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error('too late');
    },
  }),
];

const KEYS: Record<string, Principal> = {
  all: { accountId: 'a1', keyId: 1, scopes: ['*'] },
  speech: { accountId: 'a2', keyId: 2, scopes: ['speech'] },
  busy: { accountId: 'a3', keyId: 3, scopes: ['*'] },
};

const logged: string[] = [];
let server: Server;
let base: string;
const metrics = new Metrics();
let isDatabaseUp = true;

beforeAll(async () => {
  const app = createApp({
    log: pino({ level: 'info' }, { write: (line: string) => void logged.push(line) }),
    metrics,
    routes,
    keys: { authenticate: async (bearer) => KEYS[bearer] },
    limiter: new RateLimiter({ requestsPerMinute: 200, failedAuthsPerMinute: 5 }),
    maxBodyBytes: 10_000,
    health: [
      { name: 'database', isNeeded: true, check: async () => (isDatabaseUp ? 'up' : 'away') },
      { name: 'livekit', isNeeded: false, check: async () => 'not configured' },
    ],
    trustProxy: false,
  });
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  metrics.close();
  server.closeAllConnections();
  server.close();
});

/** Sends a request with a key; bodies that are no strings or bytes are written as JSON. */
async function ask(method: string, path: string, options: AskOptions = {}) {
  const { key = 'all', body, headers = {} } = options;
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(`${base}${path}`, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('application/json');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  };
}

interface AskOptions {
  readonly key?: string | null;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

describe('the order of checks', () => {
  it('answers an unknown path before it asks for a key', async () => {
    const { status, body } = await ask('GET', '/api/v1/nowhere', { key: null });
    expect(status).toBe(404);
    expect(body).toEqual({
      error: 'There is nothing at this path',
      detail: null,
      code: 'NOT_FOUND',
    });
  });

  it('names the methods that a path takes', async () => {
    const { status, headers, body } = await ask('PATCH', '/api/v1/things/best', { key: null });
    expect([status, headers.get('allow'), body.code]).toEqual([
      405,
      'GET, HEAD',
      'METHOD_NOT_ALLOWED',
    ]);
    const { headers: ofOne } = await ask('PATCH', '/api/v1/things/7', { key: null });
    expect(ofOne.get('allow')).toBe('DELETE, GET, HEAD');
    expect((await ask('POST', '/metrics')).status).toBe(405);
  });

  it('asks for a key before it looks at the body', async () => {
    const { status, headers, body } = await ask('POST', '/api/v1/echo', { key: null, body: '{' });
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Bearer');
    expect(body.code).toBe('UNAUTHORIZED');
  });

  it('names the scope that a key lacks, before it looks at the input', async () => {
    const { status, body } = await ask('DELETE', '/api/v1/things/none', { key: 'speech' });
    expect(status).toBe(403);
    expect(body).toMatchObject({ code: 'FORBIDDEN', detail: 'Missing scope: agents' });
  });
});

describe('routes', () => {
  it('are the same with and without the slash at their end, with no redirect', async () => {
    for (const path of ['/api/v1/echo', '/api/v1/echo/']) {
      const { status, body } = await ask('POST', path, { body: { text: 'x', other: 1 } });
      expect([status, body]).toEqual([200, { text: 'x', level: 1 }]);
    }
  });

  it('put fixed paths before ids', async () => {
    expect((await ask('GET', '/api/v1/things/best')).body).toEqual({ best: true });
  });

  it('take repeated keys as lists and the last of others', async () => {
    const { body } = await ask('GET', '/api/v1/things/7?state=a&state=b&page=1&page=2');
    expect(body).toEqual({ thing_id: 7, page: 2, state: ['a', 'b'], of: 'a1' });
  });

  it('tell the faults of path and query at once', async () => {
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

  it('carry the code, status and detail of an ApiError', async () => {
    const { status, body } = await ask('DELETE', '/api/v1/things/none');
    expect([status, body]).toEqual([
      404,
      { error: 'No agent has this id', detail: 'look again', code: 'AGENT_NOT_FOUND' },
    ]);
  });

  it('say nothing of what broke inside', async () => {
    const { status, body } = await ask('DELETE', '/api/v1/things/broken');
    expect(status).toBe(500);
    expect(body).toMatchObject({ code: 'INTERNAL_ERROR', detail: null });
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it('find nothing behind a path that cannot be decoded or stored', async () => {
    expect((await ask('GET', '/api/v1/things/%ff')).status).toBe(404);
    expect((await ask('GET', '/api/v1/things/a%00b')).status).toBe(404);
  });
});

describe('request ids', () => {
  it('are given back, or made where they are absent or harmful', async () => {
    const given = await ask('GET', '/healthz', { headers: { 'x-request-id': 'abc-1' } });
    expect(given.headers.get('x-request-id')).toBe('abc-1');
    const harmful = await ask('GET', '/healthz', { headers: { 'x-request-id': 'a b"c' } });
    expect(harmful.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('stand in every line that the request logs', async () => {
    await ask('DELETE', '/api/v1/things/broken', { headers: { 'x-request-id': 'trace-me' } });
    await expect
      .poll(() => logged.filter((line) => line.includes('trace-me')).map((l) => JSON.parse(l).msg))
      .toEqual(['request failed', 'request']);
  });
});

describe('bad bodies', () => {
  const post = (body: unknown, headers?: Record<string, string>) =>
    ask('POST', '/api/v1/echo', { body, ...(headers ? { headers } : {}) });

  it.each([
    ['{"text": "x"', "Expecting ',' delimiter", 12],
    ['{"text": }', 'Expecting value', 9],
    ['{text: 1}', 'Expecting property name enclosed in double quotes', 1],
    ['{"a": NaN}', 'Expecting value', 6],
    ['{"\u{1f600}": }', 'Expecting value', 6],
    ['{} x', 'Extra data', 3],
    ['"ab', 'Unterminated string starting at', 0],
    ['"a\\x"', 'Invalid \\escape', 2],
    ['"a\nb"', 'Invalid control character at', 2],
  ])('says where %j is no JSON', async (text, error, offset) => {
    const { status, body } = await post(text);
    expect(status).toBe(422);
    expect(body.detail).toEqual([
      {
        type: 'json_invalid',
        loc: ['body', offset],
        msg: 'JSON decode error',
        input: {},
        ctx: { error },
      },
    ]);
  });

  it('refuses invalid UTF-8 as invalid JSON', async () => {
    const { status, body } = await post(Buffer.from([0x22, 0xff, 0x22]));
    expect([status, body.detail[0].type]).toEqual([422, 'json_invalid']);
  });

  it('says that the body is missing', async () => {
    const { status, body } = await ask('POST', '/api/v1/echo');
    expect([status, body.detail]).toEqual([
      422,
      [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }],
    ]);
  });

  it('refuses nesting of 200 and of 1,000,000 without harm', async () => {
    const { status, body } = await post(`{"text":"x","y":${'['.repeat(200)}${']'.repeat(200)}}`);
    expect([status, body.detail[0].type]).toEqual([422, 'json_invalid']);
    expect((await post('['.repeat(9_000))).status).toBe(422);
  });

  it('refuses other content types and bodies over the limit, declared or not', async () => {
    const typed = await post('text=x', { 'content-type': 'application/x-www-form-urlencoded' });
    expect([typed.status, typed.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    const large = await post({ text: 'x'.repeat(20_000) });
    expect([large.status, large.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('answers 413 to a client that sends all of its 5 MB before it reads', async () => {
    const { status } = await post({ text: 'x'.repeat(5_000_000) });
    expect(status).toBe(413);
  });

  it('answers 413 to an endless body of unknown length', async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(
      'POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer all\r\n' +
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
    const timer = setInterval(() => socket.write(chunk), 1);
    socket.on('error', () => undefined); // the server hangs up while we still write
    const [answer] = await once(socket, 'data');
    clearInterval(timer);
    socket.destroy();
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('is not harmed by __proto__, however it is written', async () => {
    const plain = await post('{"text":"x","__proto__":{"polluted":1}}');
    expect([plain.status, plain.body]).toEqual([200, { text: 'x', level: 1 }]);
    const escaped = await post('{"text":"x","\\u005f_proto__":{"level":5}}');
    expect([escaped.status, escaped.body]).toEqual([200, { text: 'x', level: 1 }]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('clients that go away', () => {
  it('fire the signal of their handler', async () => {
    const client = new AbortController();
    const response = await fetch(`${base}/api/v1/slow`, {
      headers: { authorization: 'Bearer all', 'x-request-id': 'leaving' },
      signal: client.signal,
    });
    expect(response.status).toBe(200);
    client.abort();
    await expect.poll(() => aborted).toContain('leaving');
  });

  it('never see a broken answer end as if it were whole', async () => {
    const response = await fetch(`${base}/api/v1/cut`, {
      headers: { authorization: 'Bearer all' },
    });
    await expect(response.text()).rejects.toThrow();
  });
});

describe('limits', () => {
  it('tell what is left, and answer 429 with Retry-After beyond it', async () => {
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

  it('hold off who tries wrong keys, and nobody else behind that address', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 7; i++) {
      statuses.push((await ask('GET', '/api/v1/things/best', { key: 'wrong' })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect((await ask('GET', '/api/v1/things/best')).status).toBe(200);
  });
});

describe('what stands at the root', () => {
  it('is ready when all that is needed is up, and names what is down', async () => {
    const ready = await ask('GET', '/readyz', { key: null });
    expect([ready.status, ready.body]).toEqual([
      200,
      { status: 'ready', parts: { database: 'up', livekit: 'not configured' } },
    ]);
    isDatabaseUp = false;
    const notReady = await ask('GET', '/readyz', { key: null });
    isDatabaseUp = true;
    expect([notReady.status, notReady.body.parts.database]).toEqual([503, 'away']);
  });

  it('counts requests by their route, never by their path', async () => {
    await ask('GET', '/api/v1/things/12345');
    const { body } = await ask('GET', '/metrics', { key: null });
    expect(body).toMatch(
      /http_request_duration_seconds_count\{.*route="\/api\/v1\/things\/\{thing_id\}"/,
    );
    expect(body).toContain('event_loop_delay_seconds{quantile="0.99"}');
    expect(body).not.toContain('12345');
  });

  it('documents the routes by the schemas that validate', async () => {
    const { status, body } = await ask('GET', '/openapi.json', { key: null });
    expect([status, body.openapi]).toEqual([200, '3.1.0']);
    const echo = body.paths['/api/v1/echo/'].post;
    expect(echo.requestBody.content['application/json'].schema).toMatchObject({
      required: ['text'],
      properties: { text: { type: 'string', minLength: 1 }, level: { default: 1, maximum: 2 } },
    });
    expect(Object.keys(echo.responses)).toEqual(['200', '401', '403', '422', '429', '500']);
  });

  it('shows the documents and the page from this server alone', async () => {
    const docs = await ask('GET', '/docs/', { key: null });
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
