import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { connect as connectTls } from 'node:tls';
import express, { Router } from 'express';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { PeerClient } from '../../../src/platform/cluster/peer-client.js';
import { PeerServer } from '../../../src/platform/cluster/peer-server.js';
import { PeerKeys } from '../../../src/platform/cluster/peer-tls.js';
import { SecretKeys } from '../../../src/platform/secrets/secret-keys.js';

const OLD = 'the secret of last year';
const NEW = 'the secret of this year';
const STRANGE = 'the secret of somebody else';
const log = pino({ level: 'silent' });

const opened: PeerServer[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

const keysOf = (...secrets: string[]) => new PeerKeys(new SecretKeys(secrets));
const clientOf = (...secrets: string[]) => new PeerClient(keysOf(...secrets));

/** A gateway that echoes the body of a POST request. */
async function gateway(...secrets: string[]) {
  const id = randomUUID();
  const server = new PeerServer({ gatewayId: id, keys: keysOf(...secrets), log });
  const routes = Router();
  routes.post('/echo', express.json({ limit: 1_000 }), (request, response) => {
    response.json(request.body);
  });
  routes.get('/events', (_request, response) => {
    response.write('{"n":1}\n\n{"n":');
    response.end('2}\n');
  });
  routes.get('/silent', () => undefined);
  server.addRoutes(routes);
  opened.push(server);
  return { id, address: await server.listen('127.0.0.1') };
}

const post = (client: PeerClient, to: { id: string; address: string }, body: unknown = 'hello') =>
  client.post(to, { path: '/echo', body: { body } });
const echoed = { body: 'hello' };
const unreachable = { code: 'UNREACHABLE' };

describe('peer API', () => {
  it('responds to a gateway with the same secret, encrypted with forward secrecy', async () => {
    const peer = await gateway(NEW);
    expect(await post(clientOf(NEW), peer)).toEqual(echoed);
    const { port } = new URL(`https://${peer.address}`);
    const socket = connectTls({
      host: '127.0.0.1',
      port: Number(port),
      ...keysOf(NEW).clientOptions,
    });
    await once(socket, 'secureConnect');
    expect([socket.getProtocol(), socket.getCipher().standardName]).toEqual([
      'TLSv1.2',
      'TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256',
    ]);
    socket.destroy();
  });

  it('rejects another key, under an unknown and under a known identity', async () => {
    const peer = await gateway(NEW);
    await expect(post(clientOf(STRANGE), peer)).rejects.toMatchObject(unreachable);
    const { id } = new SecretKeys([NEW]).derive('peer-api')[0];
    const options = {
      ...keysOf(NEW).clientOptions,
      pskCallback: () => ({ identity: id, psk: Buffer.alloc(32, 7) }),
    };
    const { port } = new URL(`https://${peer.address}`);
    const socket = connectTls({ host: '127.0.0.1', port: Number(port), ...options });
    await expect(once(socket, 'secureConnect')).rejects.toThrow();
  });

  it('rejects plain text, and certificates instead of a key', async () => {
    const peer = await gateway(NEW);
    await expect(fetch(`http://${peer.address}/events`)).rejects.toThrow();
    const port = Number(new URL(`https://${peer.address}`).port);
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false });
    await expect(once(socket, 'secureConnect')).rejects.toThrow();
  });

  it('is not called on a server without the key', async () => {
    const impostor = await gateway(STRANGE);
    await expect(post(clientOf(NEW), impostor)).rejects.toMatchObject(unreachable);
  });

  it('verifies each client separately', async () => {
    const peer = await gateway(NEW);
    expect(await post(clientOf(NEW), peer)).toEqual(echoed);
    await expect(post(clientOf(STRANGE), peer)).rejects.toMatchObject(unreachable);
    const port = Number(new URL(`https://${peer.address}`).port);
    const first = connectTls({ host: '127.0.0.1', port, ...keysOf(NEW).clientOptions });
    await once(first, 'secureConnect');
    const session = first.getSession();
    first.destroy();
    const second = connectTls({
      ...{ host: '127.0.0.1', port, session },
      ...keysOf(STRANGE).clientOptions,
    });
    await expect(once(second, 'secureConnect')).rejects.toThrow();
    expect(await post(clientOf(NEW), peer)).toEqual(echoed);
  });

  it.each([
    ['the client has the new key already', [NEW, OLD], [OLD]],
    ['the server has the new key already', [OLD], [NEW, OLD]],
    ['both have both keys', [NEW, OLD], [NEW, OLD]],
    ['the server has dropped the old key', [NEW, OLD], [NEW]],
    ['the client has dropped the old key', [NEW], [NEW, OLD]],
  ])('works during a rotation: %s', async (_, client, server) => {
    expect(await post(clientOf(...client), await gateway(...server))).toEqual(echoed);
  });

  it('rejects an old key after the rotation', async () => {
    const peer = await gateway(NEW);
    await expect(post(clientOf(OLD), peer)).rejects.toMatchObject(unreachable);
  });

  it('rejects a request for another gateway that had the address before', async () => {
    const { address } = await gateway(NEW);
    const before = { id: randomUUID(), address };
    await expect(post(clientOf(NEW), before)).rejects.toMatchObject(unreachable);
  });

  it('reports an unknown path', async () => {
    const pendingResponse = clientOf(NEW).open(await gateway(NEW), { path: '/nothing' });
    await expect(pendingResponse).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('rejects bodies that are too large or not JSON', async () => {
    const peer = await gateway(NEW);
    await expect(post(clientOf(NEW), peer, 'x'.repeat(1_000))).rejects.toMatchObject(unreachable);
    expect(await post(clientOf(NEW), peer)).toEqual(echoed);
  });

  it('streams events, one per line', async () => {
    const events: unknown[] = [];
    const client = clientOf(NEW);
    await client.follow(await gateway(NEW), { path: '/events' }, (event) => events.push(event));
    expect(events).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('times out on a gateway that does not respond, or does not complete the handshake', async () => {
    const peer = await gateway(NEW);
    const client = clientOf(NEW);
    const late = client.open(peer, { path: '/silent', timeoutMs: 200 });
    await expect(late).rejects.toMatchObject(unreachable);
    const silentServer = createServer().listen(0, '127.0.0.1');
    await once(silentServer, 'listening');
    const address = `127.0.0.1:${(silentServer.address() as AddressInfo).port}`;
    const pendingResponse = { path: '/echo', body: {}, timeoutMs: 200 };
    await expect(client.post({ id: peer.id, address }, pendingResponse)).rejects.toMatchObject(
      unreachable,
    );
    silentServer.close();
  });

  it('disconnects a client that does not complete the handshake', async () => {
    const { address } = await gateway(NEW);
    const socket = connect(Number(new URL(`https://${address}`).port), '127.0.0.1');
    await once(socket, 'close');
  });
});
