import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { forwardUpgrade } from '../../../src/platform/cluster/forward-upgrade.js';
import type { Gateway } from '../../../src/platform/cluster/gateways.repository.js';
import { PeerClient } from '../../../src/platform/cluster/peer-client.js';
import { PeerServer } from '../../../src/platform/cluster/peer-server.js';
import { PeerKeys } from '../../../src/platform/cluster/peer-tls.js';
import type { RateLimiter } from '../../../src/platform/http/rate-limit.js';
import { type SocketRoute, WebSocketRouter } from '../../../src/platform/http/websocket-router.js';
import { SecretKeys } from '../../../src/platform/secrets/secret-keys.js';

const MAX_MESSAGE = 4 * 1024 * 1024;
const log = pino({ level: 'silent' });
const holderId = randomUUID();
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A rate limiter that counts failed authentications by address. */
function countedLimiter() {
  const failed: string[] = [];
  const limiter = {
    countUpgrade: async () => undefined,
    countRequest: async () => undefined,
    countFailedAuth: async (address: string) => void failed.push(address),
  } as unknown as RateLimiter;
  return { failed, limiter };
}

/** A call socket that echoes. `isHeld`: another gateway runs the call. */
function echo(isRemote: boolean): SocketRoute {
  return {
    path: '/calls/{call_id}/socket',
    scope: 'any',
    maxMessageBytes: MAX_MESSAGE,
    subprotocol: 'call.v1',
    isVerifiedByFirstMessage: true,
    authenticate: async (_request, url) => {
      if (!isRemote && url.pathname.includes('ended')) return undefined;
      const heldBy = isRemote ? holderId : undefined;
      return { accountId: 'caller', keyId: null, scopes: ['*'], heldBy };
    },
    open: (socket, { limiter, requestId }) => {
      socket.on('message', (data, isBinary) => {
        if (String(data) === 'bye') socket.close(4001, 'goodbye');
        else if (String(data) === 'id') socket.send(requestId);
        else if (String(data) === 'wrong') void limiter.countFailedAuth();
        else socket.send(data, { binary: isBinary });
      });
    },
  };
}

/** A gateway that clients connect to, and one that runs their calls. */
async function twoGateways({ secret = 'the secret of both gateways' } = {}) {
  const counted = countedLimiter();
  const authenticator = { authenticate: async () => undefined };
  const services = { ...counted, addressOf: () => '203.0.113.7', authenticator, log };
  const peerServer = new PeerServer({
    gatewayId: holderId,
    keys: new PeerKeys(new SecretKeys(['the secret of both gateways'])),
    log,
  });
  const holder = new WebSocketRouter([echo(false)], { ...services, addressOf: () => '127.0.0.1' });
  peerServer.setUpgradeListener(holder.handleForwarded);
  const gateway: Gateway = { id: holderId, address: await peerServer.listen('127.0.0.1') };
  const client = new PeerClient(new PeerKeys(new SecretKeys([secret])));
  const gateways = { find: async (id: string) => (id === holderId ? gateway : undefined) };
  const entry = new WebSocketRouter([echo(true)], {
    ...services,
    forward: (...upgrade) => forwardUpgrade(client, gateways, ...upgrade),
  });
  const server: Server = createServer().on('upgrade', entry.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(
    () => server.close(),
    () => entry.close(),
    () => holder.close(),
  );
  closing.push(() => peerServer.close());
  const { port } = server.address() as AddressInfo;
  const open = (callId = 'call', headers: Record<string, string> = {}) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/calls/${callId}/socket`, ['call.v1'], {
      headers,
    });
    socket.on('error', () => undefined);
    return socket;
  };
  return { open, holder, entry, peerServer, failed: counted.failed };
}

it('a client is connected with the gateway that runs its call', async () => {
  const { open, holder } = await twoGateways();
  const socket = open('call', { 'x-request-id': 'mine-1' });
  const [response] = await once(socket, 'upgrade');
  expect(response.headers['x-request-id']).toBe('mine-1');
  expect(socket.protocol).toBe('call.v1');
  expect(holder.openSockets).toBe(1);
  const large = Buffer.alloc(MAX_MESSAGE - 1, 5);
  for (const message of ['hello', 'id']) {
    socket.send(message);
    const [data] = await once(socket, 'message');
    expect(String(data)).toBe(message === 'id' ? 'mine-1' : message);
  }
  socket.send(large);
  expect(large.equals((await once(socket, 'message'))[0])).toBe(true);
  socket.send('bye');
  expect((await once(socket, 'close'))[0]).toBe(4001);
  await vi.waitFor(() => expect(holder.openSockets).toBe(0));
});

it("a wrong credential counts against the client's address, and client headers are not trusted", async () => {
  const { open, failed } = await twoGateways();
  const socket = open('call', { 'x-parley-client-address': '198.51.100.1' });
  await once(socket, 'open');
  socket.send('wrong');
  await vi.waitFor(() => expect(failed).toEqual(['203.0.113.7']));
});

it('a refusal is forwarded', async () => {
  const { open } = await twoGateways();
  const [, response] = await once(open('ended'), 'unexpected-response');
  let body = '';
  for await (const chunk of response) body += chunk;
  expect([response.statusCode, JSON.parse(body).code]).toEqual([401, 'UNAUTHORIZED']);
});

it('an unreachable gateway, or one with another key, causes a 503', async () => {
  const { open, peerServer } = await twoGateways();
  await peerServer.close();
  const otherCluster = await twoGateways({ secret: 'the secret of somebody else' });
  for (const socket of [open(), otherCluster.open()]) {
    const [, response] = await once(socket, 'unexpected-response');
    let body = '';
    for await (const chunk of response) body += chunk;
    expect([response.statusCode, JSON.parse(body).code]).toEqual([503, 'GATEWAY_UNREACHABLE']);
  }
});

it("the client's socket closes when either gateway stops, and the call's when the client disconnects", async () => {
  const first = await twoGateways();
  const gone = first.open();
  await once(gone, 'open');
  gone.terminate();
  await vi.waitFor(() => expect(first.holder.openSockets).toBe(0));
  const [one, two] = [first.open(), (await twoGateways()).open()];
  await Promise.all([once(one, 'open'), once(two, 'open')]);
  await first.peerServer.close();
  await once(one, 'close');
  for (const close of closing.splice(0).reverse()) await close();
  await once(two, 'close');
});
