import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { AccountsRepository } from '../../../src/features/auth/accounts.repository.js';
import { ApiKeysRepository } from '../../../src/features/auth/api-keys.repository.js';
import { ApiKeyAuthenticator } from '../../../src/features/auth/authenticator.js';
import { RateLimiter } from '../../../src/platform/http/rate-limit.js';
import { type SocketRoute, WebSocketRouter } from '../../../src/platform/http/websocket-router.js';
import { withControlPlane } from '../../support/harness/app/control-plane-app.js';

const SPEECH: SocketRoute = {
  path: '/api/v1/tts/stream',
  scope: 'speech',
  maxMessageBytes: 1_000,
  open: (socket) => void socket.on('message', (data) => socket.send(String(data))),
};
const KEY_CHECK_MS = 50;

const plane = withControlPlane({ sockets: () => [SPEECH], keyCheckMs: KEY_CHECK_MS });
let isDatabaseAway = false;
let failedChecks = 0;
/** Another gateway on the same database, which learns of revoked keys from there only. */
let other: Server;

beforeAll(async () => {
  const { db } = plane.database;
  const authenticator = new ApiKeyAuthenticator({
    keys: new ApiKeysRepository(db),
    accounts: new AccountsRepository(db),
    tokens: plane.tokens,
  });
  const dispatcher = new WebSocketRouter([SPEECH], {
    authenticator: {
      authenticate: async (bearer) => {
        if (isDatabaseAway) {
          failedChecks++;
          throw new Error('the database is away');
        }
        return authenticator.authenticate(bearer);
      },
    },
    limiter: new RateLimiter({ requestsPerMinute: 0, failedAuthsPerMinute: 0 }),
    addressOf: () => '10.0.0.1',
    log: pino({ level: 'silent' }),
    keyCheckMs: KEY_CHECK_MS,
  });
  other = createServer().on('upgrade', dispatcher.handle).listen(0, '127.0.0.1');
  await once(other, 'listening');
});
afterAll(() => {
  other.closeAllConnections();
  other.close();
});

type Where = 'here' | 'on another gateway';

function portOf(where: Where): number {
  return where === 'here' ? Number(new URL(plane.url).port) : (other.address() as AddressInfo).port;
}

async function open(bearer: string, where: Where): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${portOf(where)}${SPEECH.path}`, {
    headers: { authorization: `Bearer ${bearer}` },
  });
  await once(socket, 'open');
  return socket;
}

/** A key for speech, and a function that changes it as the account's owner. */
async function speechKey() {
  const accountId = await plane.makeAccount();
  const ask = plane.askAs(await plane.makeKey(accountId));
  const { body } = await ask('POST', '/auth/api-key', { name: 'Speech', scopes: ['speech'] });
  const path = `/auth/api-key/${body.key_info.id}`;
  return { text: String(body.api_key), ask, path };
}

describe.each(['here', 'on another gateway'] as const)('socket that is open %s', (where) => {
  it.each([
    ['is deleted', 'DELETE', undefined],
    ['is deactivated', 'PUT', { is_active: false }],
    ['expires', 'PUT', { expires_at: new Date(Date.now() - 1_000).toISOString() }],
    ['loses the scope', 'PUT', { scopes: ['agents'] }],
  ])('is closed with 1008 if its key %s', async (_, method, change) => {
    const { text, ask, path } = await speechKey();
    const sockets = [await open(text, where), await open(text, where)];
    const closed = sockets.map((socket) => once(socket, 'close'));
    expect((await ask(method, path, change)).status).toBeLessThan(300);
    for (const [code, reason] of await Promise.all(closed)) {
      expect([code, String(reason)]).toEqual([1008, expect.stringContaining('API key')]);
    }
  });

  it('is closed when its token expires', async () => {
    const accountId = await plane.makeAccount();
    // Tokens are accepted for 5 s after their expiry, because clocks differ.
    const expiresAt = new Date(Date.now() - 3_000);
    const socket = await open(await plane.tokens.issue(accountId, ['speech'], expiresAt), where);
    expect((await once(socket, 'close'))[0]).toBe(1008);
  });

  it('is terminated if its client does not answer the close frame', async () => {
    const { text, ask, path } = await speechKey();
    const client = connect(portOf(where), '127.0.0.1');
    client.write(
      `GET ${SPEECH.path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Authorization: Bearer ${text}\r\nSec-WebSocket-Version: 13\r\n` +
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    const [answer] = await once(client, 'data');
    expect(String(answer)).toContain('101 Switching Protocols');
    expect((await ask('DELETE', path)).status).toBe(204);
    client.resume();
    await once(client, 'close');
  });
});

it('a socket stays open while its key is valid and while the database is unavailable', async () => {
  const { text } = await speechKey();
  const socket = await open(text, 'on another gateway');
  onTestFinished(() => {
    isDatabaseAway = false;
    socket.terminate();
  });
  isDatabaseAway = true;
  failedChecks = 0;
  await expect.poll(() => failedChecks).toBeGreaterThan(2);
  socket.send('still here');
  expect(String((await once(socket, 'message'))[0])).toBe('still here');
});
