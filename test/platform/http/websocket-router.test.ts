import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import express from 'express';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { RateLimiter } from '../../../src/platform/http/rate-limit.js';
import { type SocketRoute, WebSocketRouter } from '../../../src/platform/http/websocket-router.js';
import { addressIn } from '../../../src/server.js';

const ECHO: SocketRoute = {
  path: '/api/v1/echo/{name}',
  scope: 'speech',
  maxMessageBytes: 1_000,
  open: (socket, { principal, url }) => {
    socket.send(JSON.stringify({ of: principal.accountId, path: url.pathname }));
    socket.on('message', (data) => socket.send(String(data)));
  },
};

const OWN: SocketRoute = {
  path: '/call',
  scope: 'any',
  maxMessageBytes: 1_000,
  authenticate: async (_request, url) =>
    url.searchParams.get('token') === 'good'
      ? { accountId: 'caller', keyId: null, scopes: [] }
      : undefined,
  open: (socket) => socket.close(1000, 'done'),
};

/** A route with the ID of an account that is not authenticated yet. */
const UNVERIFIED: SocketRoute = {
  ...OWN,
  path: '/unverified',
  isVerifiedByFirstMessage: true,
  open: (socket, { limiter }) => {
    socket.once('message', (data) => {
      const counted =
        String(data) === 'good' ? limiter.countRequest('caller') : limiter.countFailedAuth();
      counted.then(
        () => socket.close(1000, 'done'),
        (error: Error) => socket.close(1008, error.message),
      );
    });
  },
};

const LIMITS = { requestsPerMinute: 30, failedAuthsPerMinute: 6 };

const PRINCIPALS: Record<string, readonly string[]> = {
  all: ['*'],
  agents: ['agents'],
  busy: ['*'],
};

let server: Server;
const limiter = new RateLimiter(LIMITS);
let dispatcher: WebSocketRouter;
let port: number;

beforeAll(async () => {
  dispatcher = new WebSocketRouter([ECHO, OWN, UNVERIFIED], {
    limiter,
    addressOf: ({ headers }) => String(headers['x-from'] ?? '10.0.0.1'),
    log: pino({ level: 'silent' }),
    authenticator: {
      authenticate: async (bearer) => {
        const scopes = PRINCIPALS[bearer];
        return scopes && { accountId: bearer, keyId: 1, scopes };
      },
    },
  });
  server = createServer().on('upgrade', dispatcher.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function open(path: string, key?: string, from = '10.0.0.1'): WebSocket {
  return new WebSocket(`ws://127.0.0.1:${port}${path}`, {
    headers: { 'x-from': from, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
  });
}

/** The HTTP response to an upgrade that is refused. */
async function refusal(path: string, key?: string, from?: string) {
  const socket = open(path, key, from);
  socket.on('error', () => undefined); // emitted after the response
  const [, response] = await once(socket, 'unexpected-response');
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  return {
    status: response.statusCode,
    headers: response.headers,
    body: JSON.parse(Buffer.concat(parts).toString()),
  };
}

describe('upgrade request', () => {
  it('is refused with HTTP 401 without a valid key', async () => {
    for (const key of [undefined, 'wrong']) {
      const { status, headers, body } = await refusal('/api/v1/echo/a', key);
      expect([status, headers['www-authenticate'], body.code]).toEqual([
        401,
        'Bearer',
        'UNAUTHORIZED',
      ]);
      expect(headers['cache-control']).toBe('no-store');
    }
  });

  it('is refused with 403 if the key lacks the scope, and with 404 for an unknown path', async () => {
    expect(await refusal('/api/v1/echo/a', 'agents')).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN', detail: 'Missing scope: speech' },
    });
    expect(await refusal('/nowhere', 'all')).toMatchObject({ status: 404 });
    expect(await refusal('//evil/api/v1/echo/a', 'all')).toMatchObject({ status: 404 });
  });

  it('opens the path with and without a trailing slash', async () => {
    for (const path of ['/api/v1/echo/a', '/api/v1/echo/a/']) {
      const socket = open(path, 'all');
      const [hello] = await once(socket, 'message');
      expect(JSON.parse(String(hello))).toEqual({ of: 'all', path });
      socket.send('hi');
      expect(String((await once(socket, 'message'))[0])).toBe('hi');
      socket.close();
      await once(socket, 'close');
    }
  });

  it('gets its request ID in the response, opened or refused', async () => {
    const headers = { authorization: 'Bearer all', 'x-request-id': 'mine-1' };
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v1/echo/a`, { headers });
    const [response] = await once(socket, 'upgrade');
    expect(response.headers['x-request-id']).toBe('mine-1');
    socket.close();
    const refused = await refusal('/api/v1/echo/a', 'wrong', '10.7.7.7');
    expect(refused.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('keeps its request ID on the gateway to which it is forwarded', async () => {
    const held = { accountId: 'caller', keyId: null, scopes: [], heldBy: 'another' };
    const ids: unknown[] = [];
    const forwarding = new WebSocketRouter([{ ...OWN, authenticate: async () => held }], {
      limiter,
      addressOf: () => '10.0.0.1',
      log: pino({ level: 'silent' }),
      authenticator: { authenticate: async () => undefined },
      forward: async (_, { requestId, socket }) => {
        ids.push(requestId);
        socket.destroy();
      },
    });
    const gateway = createServer().on('upgrade', forwarding.handle).listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    const client = new WebSocket(`ws://127.0.0.1:${(gateway.address() as AddressInfo).port}/call`);
    await once(client, 'error'); // the connection was closed
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    gateway.close();
  });

  it('may contain another kind of credential', async () => {
    const socket = open('/call?token=good');
    expect((await once(socket, 'close'))[0]).toBe(1000);
    expect(await refusal('/call?token=bad')).toMatchObject({ status: 401 });
  });
});

describe('rate limits of upgrades', () => {
  it("are shared with the account's requests, and the remaining quota is returned", async () => {
    const left = { set: () => undefined };
    for (let i = 1; i < LIMITS.requestsPerMinute; i++) await limiter.countRequest('busy', left);
    const last = open('/api/v1/echo/a', 'busy');
    const [response] = await once(last, 'upgrade');
    expect(response.headers.ratelimit).toMatch(/^"account";r=0;t=\d+$/);
    last.close();
    const { status, headers, body } = await refusal('/api/v1/echo/a', 'busy');
    expect([status, body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(headers['ratelimit-policy']).toBe('"account";q=30;w=60');
    await expect(limiter.countRequest('busy', left)).rejects.toThrow();
    const other = open('/api/v1/echo/a', 'all');
    await once(other, 'open');
    other.close();
  });

  it('count wrong keys in the upgrade or the first message by address', async () => {
    const from = '10.9.9.9';
    const closing = async (message: string) => {
      const socket = open('/unverified?token=good', undefined, from);
      await once(socket, 'open');
      socket.send(message);
      return (await once(socket, 'close'))[0];
    };
    for (let i = 0; i < LIMITS.failedAuthsPerMinute; i += 3) {
      expect(await refusal('/api/v1/echo/a', 'wrong', from)).toMatchObject({ status: 401 });
      expect(await refusal('/unverified', undefined, from)).toMatchObject({ status: 401 });
      expect(await closing('bad')).toBe(1000);
    }
    for (const path of ['/api/v1/echo/a', '/unverified']) {
      const { status, headers } = await refusal(path, 'wrong', from);
      expect(status).toBe(429);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(await closing('bad')).toBe(1008);
    const valid = open('/api/v1/echo/a', 'all', from);
    await once(valid, 'open');
    valid.close();
    expect(await closing('good')).toBe(1000);
  });

  it('count unverified upgrades by address and not by the claimed account', async () => {
    const left = { set: () => undefined };
    const from = '10.8.8.8';
    const path = '/unverified?token=good';
    for (let i = 0; i < LIMITS.requestsPerMinute; i++) {
      const socket = open(path, undefined, from);
      await once(socket, 'open');
      socket.terminate();
    }
    const { status, headers, body } = await refusal(path, undefined, from);
    expect([status, body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await limiter.countRequest('caller', left);
    const otherAddress = open(path, undefined, '10.8.8.9');
    await once(otherAddress, 'open');
    otherAddress.terminate();
  });
});

it.each([
  [false, '127.0.0.1'],
  [1, '203.0.113.7'],
])('use the address according to TRUST_PROXY = %s', async (trust, address) => {
  const app = express().set('trust proxy', trust);
  const testServer = createServer().listen(0, '127.0.0.1');
  await once(testServer, 'listening');
  const seen = new Promise((resolve) => {
    testServer.on('upgrade', (request, socket) => {
      resolve(addressIn(app)(request));
      socket.destroy();
    });
  });
  const headers = { 'x-forwarded-for': '198.51.100.1, 203.0.113.7' };
  const client = new WebSocket(`ws://127.0.0.1:${(testServer.address() as AddressInfo).port}`, {
    headers,
  });
  client.on('error', () => undefined);
  expect(await seen).toBe(address);
  testServer.close();
});

describe('open socket', () => {
  it('is closed with 1009 for a message over the limit, without effect on others', async () => {
    const socket = open('/api/v1/echo/a', 'all');
    await once(socket, 'message');
    socket.send('x'.repeat(1_001));
    expect((await once(socket, 'close'))[0]).toBe(1009);
    expect(await refusal('/nowhere')).toMatchObject({ status: 404 });
  });

  it('survives a client that disconnects during the upgrade', async () => {
    const raw = connect(port, '127.0.0.1');
    raw.write(
      'GET /api/v1/echo/a HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        'Authorization: Bearer all\r\nSec-WebSocket-Version: 13\r\n' +
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    raw.resetAndDestroy();
    await once(raw, 'close');
    const socket = open('/api/v1/echo/a', 'all');
    await once(socket, 'message');
    expect(dispatcher.openSockets).toBeGreaterThan(0);
    socket.close();
    await once(socket, 'close');
  });

  it('is closed when the server stops, and new upgrades are refused', async () => {
    const socket = open('/api/v1/echo/a', 'all');
    await once(socket, 'message');
    dispatcher.close();
    expect((await once(socket, 'close'))[0]).toBe(1001);
    const late = open('/api/v1/echo/a', 'all');
    await expect(once(late, 'open')).rejects.toThrow();
  });
});
