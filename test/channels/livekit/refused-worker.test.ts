import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import { WorkerConnection } from '../../../agents-runtime/transports/livekit/worker-connection.js';

it('a refused API key is reported once, also if LiveKit was unavailable before', async () => {
  let tries = 0;
  const server = createServer();
  server.on('upgrade', (_, socket) => {
    socket.on('error', () => undefined);
    if (++tries === 1) socket.destroy();
    else socket.end('HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const downs: string[] = [];
  const worker = new WorkerConnection({
    clock: systemClock,
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: async () => 'forged',
    agentName: 'parley',
    state: () => ({ isFull: false, load: 0, jobs: 0 }),
    onAsked: async () => ({ type: 'no' }),
    onAssigned: () => undefined,
    onTerminated: () => undefined,
    onUp: () => undefined,
    onDown: (why) => downs.push(why),
    onFault: () => undefined,
    random: () => 0,
  });
  worker.start();
  await expect.poll(() => tries, { timeout: 30_000 }).toBeGreaterThanOrEqual(4);
  worker.close();
  server.closeAllConnections();
  server.close();
  expect(downs).toEqual([
    expect.not.stringContaining('LIVEKIT'),
    'it does not take LIVEKIT_API_KEY and LIVEKIT_API_SECRET',
  ]);
});
