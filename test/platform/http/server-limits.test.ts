import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import {
  createLimitedServer,
  type ServerLimits,
} from '../../../src/platform/http/limited-server.js';

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

let server: Server;
const clients: Socket[] = [];

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server.closeAllConnections();
  server.close();
});

async function serve(limits: ServerLimits): Promise<void> {
  server = createLimitedServer(limits).on('request', (_, response) => response.end('served'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

function client(): Socket {
  const opened = connect((server.address() as AddressInfo).port, '127.0.0.1');
  opened.on('error', () => undefined); // the server closes some of them
  clients.push(opened);
  return opened;
}

it('connections beyond the limit are closed, and those below it are served', async () => {
  await serve({ maxConnections: 2 });
  const kept = [client(), client()];
  for (const socket of kept) {
    socket.write(REQUEST);
    expect(String((await once(socket, 'data'))[0])).toContain('served');
  }
  const third = client();
  third.resume();
  await once(third, 'close');
  kept[0]!.destroy();
  await once(kept[0]!, 'close');
  const later = client();
  later.write(REQUEST);
  expect(String((await once(later, 'data'))[0])).toContain('served');
});

it('a client that does not complete its headers in time is disconnected', async () => {
  await serve({ maxConnections: 0, headersTimeoutMs: 100 });
  const slow = client();
  slow.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ');
  const [answer] = await once(slow, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1.1 408 /);
  slow.resume();
  await once(slow, 'close');
});
